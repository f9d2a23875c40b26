#include "throng/limits.h"
