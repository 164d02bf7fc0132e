/* The game of PAX between uniformly random players, written by hand in C: the yardstick that the
 * engine's speed is measured against (see compare_c.py).
 *
 * It knows the published rules for 2 to 8 players and the deck `assumed` as constants, plays whole
 * games in straight loops, and keeps nothing that random play does not need: what a person would
 * write for speed alone. Options, their order and the random streams are those of the engine, so
 * that it plays the very same games and every statistic has to agree to the last digit.
 *
 *   gcc -O3 -march=native yardstick.c -o yardstick && ./yardstick PLAYERS GAMES SEED <KEYS
 *
 * prints one line: ns a game, then sums over all games of rounds, decisions, wins of Rome and
 * points, and the summed shares of the win of the first seat.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t word;

enum { WEALTH, FLEET, ARMY, RELIGION, SENATOR, LAND, INTRIGUE, CATEGORIES };
enum { MAX_PLAYERS = 8, MAX_LEGIONS = 9, RING = 256, COPY = 74, NOBODY = -1 };

/* A card: category in bits 0-2, symbols in bits 3-7, value above. */
typedef uint16_t card;
static inline int category_of(card c) { return c & 7; }
static inline int symbols_of(card c) { return c >> 3 & 31; }
static inline int value_of(card c) { return c >> 8; }

/* ---- random streams: xoshiro256**, seeded by splitmix64 ------------------------------------- */

typedef struct {
    word s[4];
} stream;

static inline word mix(word w) {
    w = (w ^ (w >> 30)) * 0xBF58476D1CE4E5B9u;
    w = (w ^ (w >> 27)) * 0x94D049BB133111EBu;
    return w ^ (w >> 31);
}

static const word golden = 0x9E3779B97F4A7C15u;

static inline void seed_deal(stream *s, word seed, word deal) {
    word w = mix(seed + golden);
    w = mix(w ^ (deal * golden + 0xBF58476D1CE4E5B9u));
    for (int i = 0; i < 4; i++) s->s[i] = mix(w += golden);
}

/* The keys of the seats come from a cryptographic hash of the seed; they are read at the start. */
static word keys[MAX_PLAYERS][8];

static inline void seed_seat(stream *s, int seat, word deal) {
    word game = mix(deal + golden);
    for (int i = 0; i < 4; i++) {
        word w = game ^ keys[seat][i];
        s->s[i] = mix(mix(w) + keys[seat][4 + i]) + w;
    }
}

static inline word rotate(word w, int by) { return w << by | w >> (64 - by); }

static inline word next_word(stream *stream) {
    word *s = stream->s, result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return result;
}

static inline unsigned below(stream *s, uint32_t bound) {
    word product = (next_word(s) >> 32) * bound;
    if (__builtin_expect((uint32_t)product < bound, 0)) {
        uint32_t threshold = -bound % bound;
        while ((uint32_t)product < threshold) product = (next_word(s) >> 32) * bound;
    }
    return product >> 32;
}

/* ---- the state of a game -------------------------------------------------------------------- */

typedef struct {
    stream random;
    int money, hand_count;
    int16_t symbols[8], cards[8];
    card hand[RING];
} seat;

typedef struct {
    int size, value;
    card cards[RING];
} legion;

static card copy[COPY];
static stream deal_stream;
static seat seats[MAX_PLAYERS];
static legion below_legion[MAX_LEGIONS];
static card deck[RING];
static unsigned top;
static int deck_left, players, legions, primus, start_seat, rounds;
static int16_t rome[8];
static int64_t decisions;

static int64_t sum_rounds, sum_rome, sum_points;
static double sum_share;

static inline card draw_card(void) {
    deck_left--;
    return deck[top++ % RING];
}

static inline void put_under_deck(card c) { deck[(top + deck_left++) % RING] = c; }

static inline void put_below(legion *l, card c) {
    l->cards[l->size++] = c;
    l->value += value_of(c);
}

static inline void add_to_rome(card c) { rome[category_of(c)] += symbols_of(c); }

/* One of `count` options, all alike; a single option is no decision. */
static inline unsigned choose(seat *me, unsigned count) {
    if (count == 1) return 0;
    decisions++;
    return below(&me->random, count);
}

/* ---- setup ---------------------------------------------------------------------------------- */

static void make_copy(void) {
    static const int counts[2][4] = {{2, 4, 2, 2}, {3, 4, 3, 2}};
    static const int symbols[4] = {1, 1, 2, 2}, values[4] = {1, 2, 3, 4};
    /* In the order of the deck file's sorted names, as the engine deals from it. */
    static const int order[7] = {ARMY, FLEET, INTRIGUE, LAND, RELIGION, SENATOR, WEALTH};
    int n = 0;
    for (int k = 0; k < 7; k++) {
        const int *of_kind = counts[order[k] == LAND || order[k] == INTRIGUE];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < of_kind[i]; j++)
                copy[n++] = order[k] | symbols[i] << 3 | values[i] << 8;
    }
}

static void draw_to_front(int first, int count, int end) {
    for (int i = first; i < first + count; i++) {
        int j = i + below(&deal_stream, end - i);
        card chosen = deck[j];
        deck[j] = deck[i];
        deck[i] = chosen;
    }
}

static void shuffle(void) {
    int size = COPY, removed = players < 4 ? (4 - players) * 10 : 0;
    memcpy(deck, copy, sizeof copy);
    if (players > 4) {
        int added = (players - 4) * 15;
        memcpy(deck + COPY, copy, sizeof copy);
        draw_to_front(COPY, added, 2 * COPY);
        size += added;
    }
    deck_left = size - removed;
    draw_to_front(0, deck_left, size);
    top = 0;
}

static void draft(int number) {
    static const int sizes[MAX_PLAYERS] = {2, 3, 4, 5, 5, 5, 5, 5};
    seat *me = &seats[number];
    card drawn[5];
    int size = sizes[number];
    for (int i = 0; i < size; i++) drawn[i] = draw_card();
    int kept = choose(me, size);
    me->hand[me->hand_count++] = drawn[kept];
    for (int i = 0; i < size; i++)
        if (i != kept) put_under_deck(drawn[i]);
}

static void set_up(word seed, word deal) {
    memset(rome, 0, sizeof rome);
    primus = NOBODY;
    start_seat = rounds = 0;
    seed_deal(&deal_stream, seed, deal);
    for (int i = 0; i < players; i++) {
        seat *me = &seats[i];
        seed_seat(&me->random, i, deal);
        me->money = 5;
        me->hand_count = 0;
        memset(me->symbols, 0, sizeof me->symbols);
        memset(me->cards, 0, sizeof me->cards);
    }
    shuffle();
    for (int i = 0; i < (players > 4 ? 6 : 3); i++) add_to_rome(draw_card());
    for (int i = 0; i < players; i++) draft(i);
    for (int i = 0; i < legions; i++) {
        below_legion[i].size = below_legion[i].value = 0;
        put_below(&below_legion[i], draw_card());
    }
}

/* ---- a turn --------------------------------------------------------------------------------- */

static void draw(seat *me) {
    int cards = deck_left < 3 ? deck_left : 3;
    if (cards == 0) {
        me->money += 2;
        return;
    }
    int religion = me->symbols[RELIGION];
    int together = religion >= 6 ? 3 : religion >= 3 ? 2 : 1;
    if (together > cards) together = cards;
    int hand_open = 1, legion_open = 1, bottom_open = cards == 3;
    int hand_waits = together == 2 && cards == 3;
    card drawn[4];
    int in_view = 0;
    for (; in_view < together; in_view++) drawn[in_view] = draw_card();
    int undrawn = cards - together;
    while (in_view) {
        int hand = hand_open & !hand_waits, before_legions = hand + bottom_open;
        int places = before_legions + (legion_open ? legions : 0);
        int option = choose(me, in_view * places), index = 0;
        while (option >= places) {
            option -= places;
            index++;
        }
        card c = drawn[index];
        in_view--;
        for (int i = index; i < in_view; i++) drawn[i] = drawn[i + 1];
        hand_waits = 0;
        if (option >= before_legions) {
            put_below(&below_legion[option - before_legions], c);
            legion_open = 0;
        } else if (option < hand) {
            me->hand[me->hand_count++] = c;
            hand_open = 0;
        } else {
            put_under_deck(c);
            bottom_open = 0;
        }
        if (undrawn) {
            drawn[in_view++] = draw_card();
            undrawn--;
        }
    }
}

static void buy(seat *me) {
    int discount = me->symbols[WEALTH] / 3, count = 0, limit = me->money + discount;
    int options[MAX_LEGIONS + 1];
    for (int i = 0; i < legions; i++) {
        options[count] = i;
        count += below_legion[i].size > 0 && below_legion[i].value <= limit;
    }
    int option = choose(me, count + 1);
    if (option == count) return;
    legion *bought = &below_legion[options[option]];
    if (bought->value > discount) me->money -= bought->value - discount;
    for (int i = 0; i < bought->size; i++) me->hand[me->hand_count++] = bought->cards[i];
    bought->size = bought->value = 0;
}

/* Play one hand card for this price; its category, or NOBODY if the player stops. */
static inline int play_card(seat *me, int price) {
    uint8_t options[RING];
    int count = 0;
    if (me->money >= price) {
        int limit = me->symbols[LAND] > me->symbols[INTRIGUE] ? me->symbols[LAND]
                                                              : me->symbols[INTRIGUE];
        int16_t room[8] = {99, 0, 0, 99, 99, 99, 99, 99};
        room[FLEET] = limit - me->symbols[FLEET];
        room[ARMY] = limit - me->symbols[ARMY];
        for (int i = 0; i < me->hand_count; i++) {
            options[count] = i;
            count += symbols_of(me->hand[i]) <= room[category_of(me->hand[i])];
        }
    }
    int option = choose(me, count + 1);
    if (option == count) return NOBODY;
    card c = me->hand[options[option]];
    me->hand[options[option]] = me->hand[--me->hand_count];
    me->money -= price;
    int category = category_of(c);
    me->symbols[category] += symbols_of(c);
    me->cards[category]++;
    if (category == INTRIGUE && (primus == NOBODY || me->symbols[INTRIGUE] >
                                                         seats[primus].symbols[INTRIGUE]))
        primus = me - seats;
    return category;
}

static int income(const seat *me, unsigned played) {
    if (!played) return 2;
    if (played >> INTRIGUE & 1) return 0;
    int longest = 0;
    for (int i = 0; i < CATEGORIES; i++)
        if ((played >> i & 1) && me->cards[i] > longest) longest = me->cards[i];
    return longest + (played >> SENATOR & 1);
}

static void take_turn(int number) {
    seat *me = &seats[number];
    if (choose(me, 2)) {
        me->money += 2;
        return;
    }
    draw(me);
    buy(me);
    unsigned played = 0;
    for (int price = 0;; price++) {
        int category = play_card(me, price);
        if (category == NOBODY) break;
        played |= 1u << category;
    }
    me->money += income(me, played);
    if (players > 4 && (played >> SENATOR & 1))
        for (int i = 1; i < players; i++)
            play_card(&seats[number + i < players ? number + i : number + i - players], 1);
}

/* ---- rounds and scoring --------------------------------------------------------------------- */

/* Rome takes a group, primus starts, legions are refilled; 0 when the game is over. */
static int end_round(void) {
    int best = -1, empty = 0;
    legion *richest = NULL;
    for (int i = 0; i < legions; i++) {
        legion *l = &below_legion[i];
        empty += l->size == 0;
        if (l->size && l->value > best) {
            best = l->value;
            richest = l;
        }
    }
    if (richest) {
        for (int i = 0; i < richest->size; i++) add_to_rome(richest->cards[i]);
        richest->size = richest->value = 0;
        empty++;
    }
    if (primus != NOBODY) start_seat = primus;
    if (deck_left < empty) return 0;
    for (int i = 0; i < legions; i++)
        if (!below_legion[i].size) put_below(&below_legion[i], draw_card());
    return 1;
}

static inline void add_bonus(int16_t *symbols) {
    int armies = symbols[FLEET] / 3, fleets = symbols[ARMY] / 3;
    symbols[ARMY] += armies;
    symbols[FLEET] += fleets;
}

static void score(void) {
    int16_t strongest[8] = {0};
    int points[MAX_PLAYERS], most_wealth = 0, held = 0;
    add_bonus(rome);
    for (int p = 0; p < players; p++) {
        seat *me = &seats[p];
        int displayed = 0, stronger = 0, wealth = me->money + me->hand_count;
        add_bonus(me->symbols);
        for (int i = 0; i < CATEGORIES; i++) {
            displayed += me->cards[i] > 0;
            stronger += me->symbols[i] > rome[i];
            if (me->symbols[i] > strongest[i]) strongest[i] = me->symbols[i];
        }
        points[p] = 2 * displayed + 3 * stronger + me->symbols[FLEET] + me->symbols[ARMY];
        points[p] += primus == p;
        if (wealth > most_wealth) most_wealth = wealth;
    }
    for (int i = 0; i < CATEGORIES; i++) held += rome[i] >= strongest[i];
    int best = 0, winners = 0;
    for (int p = 0; p < players; p++) {
        if (seats[p].money + seats[p].hand_count == most_wealth) points[p] += 4;
        sum_points += points[p];
        if (points[p] > best) best = points[p];
    }
    sum_rounds += rounds;
    if (held >= 4) {
        sum_rome++;
        sum_share += primus == 0;
        return;
    }
    for (int p = 0; p < players; p++) winners += points[p] == best;
    if (points[0] == best) sum_share += 1.0 / winners;
}

static void play_game(word seed, word deal) {
    set_up(seed, deal);
    do {
        rounds++;
        int active = start_seat;
        for (int i = 0; i < players; i++) {
            take_turn(active);
            if (++active == players) active = 0;
        }
    } while (end_round());
    score();
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int count, char **arguments) {
    players = count > 1 ? atoi(arguments[1]) : 4;
    long games = count > 2 ? atol(arguments[2]) : 100000;
    word seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 0;
    if (players < 2 || players > MAX_PLAYERS || games < 1) return 1;
    for (int i = 0; i < MAX_PLAYERS * 8; i++)
        if (scanf("%" SCNu64, &keys[i / 8][i % 8]) != 1) return 1;
    legions = players + 1;
    make_copy();
    double begin = now();
    for (long deal = 0; deal < games; deal++) play_game(seed, deal);
    double ns = (now() - begin) / games;
    printf("%.1f %lld %lld %lld %lld %.6f\n", ns, (long long)sum_rounds, (long long)decisions,
           (long long)sum_rome, (long long)sum_points, sum_share);
    return 0;
}
