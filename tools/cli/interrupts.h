/* The signals that end the command from outside: it dies of them at once and leaves no temporary
   file. */
#ifndef CLSPLINE_TOOLS_INTERRUPTS_H
#define CLSPLINE_TOOLS_INTERRUPTS_H

/* Has a thread wait for the signals, all but those that are ignored, as by nohup. To be called
   before there are other threads, which inherit that they are blocked: a handler of the command's
   own would not do, since compilers of kernels put theirs in its place, of which LLVM's swallows
   SIGQUIT. */
void interrupts_catch(void);

#endif
