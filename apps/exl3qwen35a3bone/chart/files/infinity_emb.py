"""Stands before the package of this name, which fails in the image as soon as TabbyAPI imports it.

TabbyAPI needs it for embeddings only, which this app does not serve.
"""

EngineArgs = None
AsyncEmbeddingEngine = None
