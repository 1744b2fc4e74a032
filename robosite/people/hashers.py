"""Django's password hashers, computed beside the thread of all requests: a hash takes a fifth of a second."""

from typing import TYPE_CHECKING, Any

from django.contrib.auth import hashers

from robosite.web import later

if TYPE_CHECKING:
    Base = hashers.BasePasswordHasher
else:
    Base = object


class _Beside(Base):
    def salt(self) -> str:
        return later.kept((type(self), "salt"), super().salt)

    def encode(self, password: str, salt: Any, *more: Any, **terms: Any) -> str:
        """Computes the hash on a thread of its own (`later.beside`)."""
        key = (type(self), password, salt, more, *terms.items())
        return later.beside(key, lambda: super(_Beside, self).encode(password, salt, *more, **terms))


class PBKDF2(_Beside, hashers.PBKDF2PasswordHasher):
    """Hashes the passwords of staff."""


class Scrypt(_Beside, hashers.ScryptPasswordHasher):  # type: ignore[name-defined]
    """Hashes recovery phrases."""
