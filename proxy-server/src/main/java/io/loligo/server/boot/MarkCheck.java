package io.loligo.server.boot;

import io.loligo.core.acl.AclType;
import io.loligo.core.acl.Acls;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.settings.FetchSettings;
import io.loligo.server.transport.ConnectionTable;
import io.loligo.server.transport.PacketMark;
import io.loligo.server.transport.Transport;
import java.io.IOException;

/** Marks of packets and connections, which need rights of the system. Stateless. */
final class MarkCheck {
  private MarkCheck() {}

  /**
   * Checks that every line that sets or asks for marks can hold.
   *
   * @throws IOException if one cannot: nothing may start
   */
  static void check(ProxyConfig config, Transport transport) throws IOException {
    if (FetchSettings.marksPackets(config)) {
      String refusal = PacketMark.refusal(transport);
      if (refusal != null) {
        throw new IOException(
            "tcp_outgoing_mark, mark_client_packet and qos_flows mark: " + refusal);
      }
    }
    Acls acls = config.get(FileDirectives.ACL);
    for (AclType type : AclType.values()) {
      String refusal =
          type.isMark() && acls.names(type) ? ConnectionTable.ofSystem().refusal() : null;
      if (refusal != null) {
        throw new IOException("acl " + type.word() + ": " + refusal);
      }
    }
  }
}
