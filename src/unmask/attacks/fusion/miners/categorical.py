"""Miners that predict published cells: at least one equivalent of each of the paper's but one.

Some have the same predictions as Weka's, others are similar: docs/reference/miners.md has measured differences. Weka's
own models are in `weka.py`.
"""

from __future__ import annotations

from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from unmask.attacks.fusion.miners._decision_table import LookupClasses
from unmask.attacks.fusion.miners._estimators import OneAttribute
from unmask.attacks.fusion.miners._hyper_pipes import Pipes
from unmask.attacks.fusion.miners._local_stump import LocalStump
from unmask.attacks.fusion.miners._one_dependence import OneDependence
from unmask.attacks.fusion.miners._prototypes import TypicalClasses
from unmask.attacks.fusion.miners._voting_features import VotingValues
from unmask.attacks.fusion.miners.gradient_boosting import LightGBM
from unmask.attacks.fusion.miners.miner import Miner


def _logistic(strength: float) -> LogisticRegression:
    return LogisticRegression(C=strength, max_iter=50, tol=1e-2)


def _neighbors(n: int, weights: str = "uniform") -> KNeighborsClassifier:
    return KNeighborsClassifier(n, weights=weights, algorithm="brute")


_Tree = DecisionTreeClassifier

MINERS: tuple[Miner, ...] = (
    Miner("majority", "rules", "the most frequent cell", "ZeroR", DummyClassifier()),
    Miner("one-attribute", "rules", "the most frequent cell by the single most accurate attribute", "OneR",
          OneAttribute(), "categories"),
    Miner("one-split", "rules", "a rule with one condition, by entropy", "ConjunctiveRule",
          _Tree(max_depth=1, criterion="entropy"), "marks"),
    Miner("three-splits", "rules", "rules of up to three conditions", "",
          _Tree(max_depth=3, criterion="entropy"), "marks"),
    Miner("exceptions", "rules", "a rule and its exceptions, cell by cell, down to two rows", "Ridor",
          _Tree(criterion="entropy", min_samples_leaf=2), "marks"),
    Miner("five-splits", "rules", "a table of up to five conditions", "", _Tree(max_depth=5, criterion="entropy")),
    Miner("lookup", "rules", "the most frequent cell of rows with equal values in the most predictive attributes",
          "DecisionTable", LookupClasses(), "categories"),
    Miner("ten-splits", "rules", "a table of up to ten conditions", "DTNB", _Tree(max_depth=10, min_samples_leaf=5)),
    Miner("stump", "trees", "a tree with one split, one cell against all others", "DecisionStump",
          _Tree(max_depth=1, criterion="entropy"), "indicators"),
    Miner("full-tree", "trees", "a tree grown to the end, by entropy", "Id3", _Tree(criterion="entropy")),
    Miner("tree", "trees", "a tree with at least two rows a leaf, by entropy", "J48",
          _Tree(criterion="entropy", min_samples_leaf=2)),
    Miner("tree-of-five", "trees", "a tree with at least five rows a leaf, by entropy", "J48graft",
          _Tree(criterion="entropy", min_samples_leaf=5)),
    Miner("tree-of-twenty", "trees", "a tree with at least twenty rows a leaf", "REPTree", _Tree(min_samples_leaf=20)),
    Miner("pruned-tree", "trees", "a tree with cost-complexity pruning", "SimpleCart", _Tree(ccp_alpha=2e-4)),
    Miner("random-tree", "trees", "a tree with a few random attributes at each split", "RandomTree",
          _Tree(max_features="sqrt")),
    Miner("forest", "trees", "many trees, each trained on different rows", "RandomForest",
          RandomForestClassifier(50, min_samples_leaf=2, max_features=0.35)),
    Miner("extra-tree", "trees", "a tree with splits at random", "", ExtraTreeClassifier()),
    Miner("extra-trees", "trees", "many trees with splits at random", "",
          ExtraTreesClassifier(50, min_samples_leaf=5, max_features=0.5)),
    Miner("boosted-trees", "trees", "gradient boosted trees", "",
          HistGradientBoostingClassifier(learning_rate=0.2, max_iter=15, max_leaf_nodes=15, l2_regularization=20.0,
                                         max_bins=255, early_stopping=False)),
    Miner("lightgbm", "trees", "gradient boosted trees of LightGBM", "", LightGBM("classes"), needs="lightgbm"),
    Miner("naive-bayes", "bayes", "attributes independent given the cell", "NaiveBayes",
          CategoricalNB(), "categories"),
    Miner("naive-bayes-marks", "bayes", "indicators independent given the cell", "NaiveBayesSimple",
          BernoulliNB(), "marks"),
    Miner("naive-bayes-counts", "bayes", "indicators as words of a text", "NaiveBayesUpdateable",
          MultinomialNB(), "marks"),
    Miner("naive-bayes-halves", "bayes", "the same, smoothed by half a row of each cell", "BayesNet",
          CategoricalNB(alpha=0.5), "categories"),
    Miner("naive-bayes-pairs", "bayes", "pairs of attributes independent given the cell", "",
          CategoricalNB(), "pairs"),
    Miner("naive-bayes-rare-pairs", "bayes", "the same, with less smoothing", "",
          CategoricalNB(alpha=0.1), "pairs"),
    Miner("one-parent", "bayes", "independent given the cell and one attribute, each in turn", "AODE",
          OneDependence(), "categories"),
    Miner("one-parent-special", "bayes", "the same, without cells that another cell implies", "AODEsr",
          OneDependence("special"), "categories"),
    Miner("one-parent-weighted", "bayes", "the same, weighted by mutual information with the cell", "WAODE",
          OneDependence("weighted"), "categories"),
    Miner("hidden-naive-bayes", "bayes", "each attribute given the cell and a mixture of the others", "HNB",
          OneDependence("hidden"), "categories"),
    Miner("naive-bayes-normal", "bayes", "features normal given the cell", "",
          GaussianNB(var_smoothing=1e-2), "indicators", dense=True),
    Miner("logistic", "bayes", "multinomial logistic regression", "", _logistic(1.0), "indicators"),
    Miner("ridge", "bayes", "linear regression on each cell, shrunken", "", RidgeClassifier(1.0), "indicators"),
    Miner("ridge-balanced", "bayes", "the same, with equal weight of rare and frequent cells", "",
          RidgeClassifier(1.0, class_weight="balanced"), "indicators"),
    Miner("logistic-shrunken", "functions", "logistic regression, shrunken more", "", _logistic(0.05), "indicators"),
    Miner("typical-rows", "functions", "logistic regression on two typical rows of each cell", "RBFNetwork",
          TypicalClasses(), "categories"),
    Miner("kernel-logistic", "functions", "logistic regression on random features of a Gaussian kernel", "",
          make_pipeline(RBFSampler(gamma=0.1, n_components=100), _logistic(1.0)), "indicators"),
    Miner("support-vectors", "functions", "a linear support vector machine", "SMO",
          LinearSVC(tol=1e-2, max_iter=100), "indicators"),
    Miner("perceptron", "functions", "a perceptron", "", Perceptron(max_iter=20, tol=1e-3), "indicators"),
    Miner("discriminant", "functions", "a linear discriminant, shrunken", "",
          LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), "indicators", dense=True),
    Miner("nearest", "lazy", "the nearest row", "IB1", _neighbors(1), "indicators", dense=True),
    Miner("nearest-3", "lazy", "a vote of the 3 nearest rows", "IBk", _neighbors(3), "indicators", dense=True),
    Miner("nearest-10", "lazy", "a vote of the 10 nearest rows", "", _neighbors(10), "indicators", dense=True),
    Miner("nearest-25-weighted", "lazy", "a vote of the 25 nearest rows, by distance", "KStar",
          _neighbors(25, "distance"), "indicators", dense=True),
    Miner("nearest-50", "lazy", "a vote of the 50 nearest rows", "", _neighbors(50), "indicators", dense=True),
    Miner("local-stump", "lazy", "one split for each row, from rows weighted by nearness", "LWL",
          LocalStump(), "categories"),
    Miner("pipes", "misc", "the cell that occurs with most of the row's values, the first if several tie",
          "HyperPipes", Pipes(), "categories"),
    Miner("complement", "misc", "complement naive Bayes", "", ComplementNB(), "marks"),
    Miner("voting-values", "misc", "a vote of attributes, each for the cells typical of its value", "VFI",
          VotingValues(), "categories"),
    Miner("nearest-middle", "misc", "the cell with the nearest centroid", "",
          NearestCentroid(), "indicators", dense=True),
    Miner("stochastic-descent", "misc", "logistic regression by stochastic gradient descent, cell by cell", "OLM",
          SGDClassifier(loss="log_loss", max_iter=20, tol=1e-3), "indicators"),
)  # fmt: skip
"""Of the paper's 32, MinMaxExtension alone has no counterpart."""
