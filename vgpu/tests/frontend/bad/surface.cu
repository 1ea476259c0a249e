//! exit 1
//! 3: error: .*surface
surface<void, 2> s;
