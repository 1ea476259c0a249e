//! exit 1
//! 3:.*no_such_file.h
#include "no_such_file.h"
