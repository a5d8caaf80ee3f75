package io.loligo.server.peer.icp;

import io.loligo.server.peer.DatagramOutcome;

/** What becomes of a datagram at the ICP port. */
public enum IcpOutcome implements DatagramOutcome {
  HIT("Queries about a response that is stored and stays fresh."),
  MISS("Queries about a response that is not stored, or not for everybody."),
  MISS_NOFETCH(
      "Queries about a response that was not found, while the disks are being opened or its origin"
          + " is unknown (test_reachability)."),
  DENIED("Queries that icp_access denied; only a cache_peer gets a reply."),
  INVALID("Damaged datagrams, and queries about a URL that is not served."),
  REPLY("Replies of peers.");

  private final String text;

  IcpOutcome(String text) {
    this.text = text;
  }

  @Override
  public String text() {
    return text;
  }
}
