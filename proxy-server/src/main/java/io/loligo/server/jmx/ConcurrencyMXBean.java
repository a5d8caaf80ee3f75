package io.loligo.server.jmx;

import java.util.Map;

/** How much is in progress, now and by samples. */
@Description("How much is in progress, now and by samples since the start.")
public interface ConcurrencyMXBean {
  @Description("Requests in progress now, tunnels included.")
  @Units("requests")
  long getRequests();

  @Description("Requests that wait for a next hop, or receive from it, now.")
  @Units("requests")
  long getForwarded();

  @Description(
      "Samples of the numbers in progress: requests, forwarded requests and next hops (connections"
          + " in use) every 10 ms, reads and writes of files every 2 ms. The mean is the rate times"
          + " the mean time.")
  @Units("requests, connections or operations: see the key")
  Map<String, SampledNumbers> getSamples();
}
