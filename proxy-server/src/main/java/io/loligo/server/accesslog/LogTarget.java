package io.loligo.server.accesslog;

import io.loligo.core.acl.AclList;
import java.util.List;

/**
 * One access_log line. Lines are tried in order and all that match write; a matching {@code none}
 * ends the search.
 *
 * @param module stdio, daemon, syslog, udp, none
 * @param place file path, address, or facility and priority
 * @param format name of a logformat
 * @param access ACLs at the end of the line; allow-all without any
 * @param source file:line, for the warning about another place
 */
public record LogTarget(String module, String place, String format, AclList access, String source) {
  /** Module, place, format, and whether there are ACLs. */
  List<String> whereToAll() {
    return List.of(module, place, format, access.isEmpty() ? "all" : "some");
  }
}
