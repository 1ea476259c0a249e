//! exit 1
//! 4:.*error: .*not today
#if 1
#error not today
#endif
