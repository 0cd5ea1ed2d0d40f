"""Miners that predict published numbers: an equivalent of each of the paper's ten, and others."""

from __future__ import annotations

from sklearn.dummy import DummyRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import HuberRegressor, LinearRegression, RANSACRegressor, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

from unmask.attacks.fusion.miners._decision_table import LookupNumbers
from unmask.attacks.fusion.miners._estimators import LinearLeaves
from unmask.attacks.fusion.miners._prototypes import TypicalNumbers
from unmask.attacks.fusion.miners.gradient_boosting import LightGBM
from unmask.attacks.fusion.miners.miner import Miner

_Tree = DecisionTreeRegressor

MINERS: tuple[Miner, ...] = (
    Miner("mean", "rules", "the mean", "ZeroR", DummyRegressor()),
    Miner("median", "rules", "the median", "", DummyRegressor(strategy="median")),
    Miner("one-split", "rules", "a rule with one condition", "ConjunctiveRule", _Tree(max_depth=1), "marks"),
    Miner("five-splits", "rules", "a table of up to five conditions", "", _Tree(max_depth=5)),
    Miner("lookup", "rules", "the mean of rows with equal values in the most predictive attributes", "DecisionTable",
          LookupNumbers(), "categories"),
    Miner("linear-rules", "rules", "four rules, and a linear model in each", "M5Rules",
          LinearLeaves(max_leaf_nodes=4), "indicators"),
    Miner("stump", "trees", "a tree with one split, one cell against all others", "DecisionStump",
          _Tree(max_depth=1), "indicators"),
    Miner("tree", "trees", "a tree with at least twenty rows a leaf", "REPTree",
          _Tree(max_depth=8, min_samples_leaf=20)),
    Miner("linear-leaves", "trees", "a tree of sixteen leaves, and a linear model in each", "M5P",
          LinearLeaves(max_leaf_nodes=16), "indicators"),
    Miner("forest", "trees", "many trees, each trained on different rows", "",
          RandomForestRegressor(50, min_samples_leaf=5, max_features=0.35)),
    Miner("boosted-trees", "trees", "gradient boosted trees", "",
          HistGradientBoostingRegressor(learning_rate=0.1, max_iter=50, max_leaf_nodes=15, l2_regularization=20.0,
                                        early_stopping=False)),
    Miner("lightgbm", "trees", "gradient boosted trees of LightGBM", "", LightGBM("numbers"), needs="lightgbm"),
    Miner("linear", "functions", "linear regression", "LinearRegression", LinearRegression(), "indicators"),
    Miner("ridge", "functions", "linear regression, shrunken", "", Ridge(100.0), "indicators"),
    Miner("trimmed-linear", "functions", "linear regression on the rows that agree", "LeastMedSq",
          RANSACRegressor(Ridge(1.0), min_samples=0.1, max_trials=20), "indicators"),
    Miner("huber", "functions", "linear regression with less weight on outliers", "",
          HuberRegressor(max_iter=50, tol=1e-3), "indicators", dense=True),
    Miner("typical-rows", "functions", "linear regression on two typical rows", "RBFNetwork",
          TypicalNumbers(), "categories"),
    Miner("kernel-linear", "functions", "linear regression on random features of a Gaussian kernel", "",
          make_pipeline(RBFSampler(gamma=0.1, n_components=100), Ridge(1.0)), "indicators"),
    Miner("nearest-25", "lazy", "the mean of the 25 nearest rows", "",
          KNeighborsRegressor(25, algorithm="brute"), "indicators", dense=True),
)  # fmt: skip
