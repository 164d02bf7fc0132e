"""How far does each strategy get alone: success by solo level, and over a whole campaign?

A campaign is the five levels in order, each dealt anew: its chance is the product of the levels'.
"""

from paxsim import charts
from paxsim.report import fields
from paxsim.report.ladder import campaign_finding, level_finding
from paxsim.report.main import study_main
from paxsim.report.study import Study
from paxsim.rules import SOLO_LEVELS

TITLE = "Solo"
QUESTION = "How often does each strategy succeed at each solo level, and in a whole campaign?"


def run(study: Study) -> None:
    """Play every level with every strategy."""
    result = fields.play_solo(study)
    levels = study.table("levels", "Success by level and strategy", result["levels"])
    study.find(*(level_finding(levels, level) for level in SOLO_LEVELS))
    figure, ax = charts.panels(width=7.0, height=6.2)
    charts.strategy_heatmap(charts.describe(levels, fields.caption([result])), value="success",
                            columns="level", fair=None, ax=ax,
                            title="Success in solo (%)")  # fmt: skip
    study.chart("levels", "Success by level and strategy", figure,
                "Heatmap of success rates, strategies by solo level; lighter is more.")  # fmt: skip

    campaigns = result["campaigns"].sort_values("success", ascending=False)
    study.table("campaigns", "Chance of a whole campaign", campaigns)
    study.find(campaign_finding(campaigns))
    figure, ax = charts.panels(width=6.6, height=4.6)
    charts.forest(charts.describe(campaigns, fields.caption([result])), "success", by="strategy",
                  label="chance of winning all five levels in a row (%)", ax=ax,
                  title="A whole campaign")  # fmt: skip
    study.chart("campaigns", "Chance of a whole campaign", figure,
                "Chance of a whole campaign with its interval, one row a strategy.")  # fmt: skip


if __name__ == "__main__":
    study_main("solo_ladder", TITLE, QUESTION, run, __doc__)
