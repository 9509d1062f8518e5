/* EP's port, the variants that lead from the cpu's program to the kernel without arrays. */
#ifndef EP_PORT_H
#define EP_PORT_H

#include "npb/ep.h"

typedef struct ep_port {
  bool use_sm, coalesced, coalesced_block, q_coalesced;
  int mk;    /* 2^mk pairs a batch */
  int mi;    /* 2^mi passes over the problem */
  int block; /* items a group */
} ep_port;

enum { EP_PORT_MK = 16, EP_PORT_BLOCK = 128 };

/* The steps that a name asks for: "port", or any of use_sm, coalesced, coalesced_block and
 * q_coalesced with commas between; false for another. */
bool ep_port_parse(const char *name, ep_port *port);
/* The name back. */
void ep_port_name(const ep_port *port, char *name, size_t size);

/* Bytes that 2^m pairs take on the device: all, and of them x. */
uint64_t ep_port_memory(const ep_port *port, int m, uint64_t *x);

/* QN_EUNSUPPORTED, with the numbers, where the device or its pool's limit (0: none) has no room,
 * the counts no room in local memory, or a pass no whole batch. */
qn_status ep_port_check(const ep_port *port, int m, const qn_device_info *info,
                        uint64_t pool_limit);
qn_status ep_port_check_on(const ep_port *port, int m, qn_device *device);

/* The whole problem on the stream's device, after that check. */
qn_status ep_port_open(const ep_port *port, int m, qn_stream *stream, ep_engine *engine);

#endif
