/* Loaded before Oclgrind 21.10, which forgets what has been written of a buffer that gets the
   address of one that is gone, and takes it for uninitialised: no buffer is ever released. */
#include <CL/cl.h>

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem object)
{
    return object ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
}
