package io.loligo.server.jmx;

import java.util.Map;

/** Datagrams at the ports for neighbours. */
@Description("Datagrams at icp_port and htcp_port, by what became of them.")
public interface NeighbourPortsMXBean {
  @Description("Numbers by protocol, those of /metrics.")
  @Units("as the names in Texts say")
  Map<String, Map<String, Long>> getProtocols();

  @Description("The meaning of each number, by protocol.")
  Map<String, Map<String, String>> getTexts();
}
