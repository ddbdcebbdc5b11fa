"""The site: pages made from the catalog, drawings, authored pages and the run of MkDocs."""
