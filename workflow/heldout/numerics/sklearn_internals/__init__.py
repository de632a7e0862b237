"""Everything that relies on private parts of scikit-learn.

Another version of scikit-learn may change them without notice. So each module compares itself with
scikit-learn's own results on a small table, once in every process that uses it (`selfcheck`); where
it differs or fails, scikit-learn's own fits take its place.
"""
