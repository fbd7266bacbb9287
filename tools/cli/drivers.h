/* What keeps OpenCL drivers that are installed from having devices, which their loader passes over
   in silence. */
#ifndef CLSPLINE_TOOLS_DRIVERS_H
#define CLSPLINE_TOOLS_DRIVERS_H

/* Complains of files that name libraries which cannot be loaded, and of render nodes that this user
   may not open. vendors: a folder of .icd files, or such a file; nodes: a folder of devices. NULL:
   those of the system, and of OCL_ICD_VENDORS. */
void drivers_complain(const char *vendors, const char *nodes);

#endif
