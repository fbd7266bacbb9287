/* `clspline bspline bezier`: files of B-splines cut into Bezier pieces. */
#ifndef CLSPLINE_TOOLS_BEZIER_PIECES_H
#define CLSPLINE_TOOLS_BEZIER_PIECES_H

/* Reads the arguments after argv[0] and does what they say. Returns the exit code. */
int bezier_pieces_command(int argc, char **argv);

#endif
