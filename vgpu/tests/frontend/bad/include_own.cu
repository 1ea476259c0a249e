//! exit 1
//! 3:.*cuda/tools.h
#include "cuda/tools.h"
