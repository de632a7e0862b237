"""Everything that relies on private parts of scikit-learn.

Another version of scikit-learn may change them without notice. So each module compares itself with
scikit-learn's own results on small tables, once in every process that uses it (`is_exact`). Where it
differs or fails, the engines use scikit-learn's own fits.
"""
