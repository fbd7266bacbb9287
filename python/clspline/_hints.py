"""Types that hints name. It is imported by what checks them alone, not when a program runs."""
from typing import Any as Any
from typing import Sequence as Sequence
from typing import Union

from numpy.typing import ArrayLike as ArrayLike
from numpy.typing import DTypeLike as DTypeLike
from numpy.typing import NDArray

from ._share import Share

Array = NDArray[Any]
Sharing = Union[Share, str, None]
Which = Union[int, slice, None]
