#include "duets/cli/app.h"

int main(int argc, char** argv) { return duets::cli::run_app(argc, argv); }
