"""What each step depends on: one frozen dataclass per step, made from the config by `build`.

The classes lie in a file for each rule file, apart from what makes them: the digest of a step's
code covers its own spec and no other's. Standard library only: the workflow imports them while it
is parsed. `data` has no file here, because the specs of its rules are those of the library.
"""
