"""Writes topic_model_reference.json: a small model of scikit-learn, its bound and its perplexity.

Made with scikit-learn 1.2.1; run it again with any version whose _approx_bound is unchanged.
"""

import json
import pathlib

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation

rng = np.random.default_rng(7)
counts = rng.poisson(0.8, size=(9, 12)).astype(float)
counts[4] = 0.0  # a document without words
held_out = rng.poisson(0.5, size=(4, 12)).astype(float)

model = LatentDirichletAllocation(
    n_components=3, doc_topic_prior=0.3, topic_word_prior=0.1, random_state=0,
    max_doc_update_iter=1000, mean_change_tol=1e-9).fit(counts)


def case(documents):
    parameters = model._unnormalized_transform(documents)
    return {
        "counts": documents.tolist(),
        "document_parameters": parameters.tolist(),
        "bound": model._approx_bound(documents, parameters, sub_sampling=False),
        "perplexity": model.perplexity(documents),
    }


reference = {
    "document_prior": 0.3,
    "word_prior": 0.1,
    "topic_word": model.components_.tolist(),
    "training": case(counts),
    "held_out": case(held_out),
}
path = pathlib.Path(__file__).with_name("topic_model_reference.json")
path.write_text(json.dumps(reference, indent=1) + "\n")
