package io.loligo.server.accesslog;

import io.loligo.core.acl.AclList;
import java.util.List;

/**
 * One access_log line. Lines are tried in order and all that match write; a matching {@code none}
 * ends the search.
 *
 * @param where the place
 * @param format name of a logformat
 * @param access ACLs at the end of the line; allow-all without any
 * @param source file:line, for the warning about another place
 */
public record LogTarget(LogPlace where, String format, AclList access, String source) {
  /** See {@link LogPlace#module}. */
  public String module() {
    return where.module();
  }

  /** See {@link LogPlace#place}. */
  public String place() {
    return where.place();
  }

  /** The same at another place. */
  public LogTarget at(String place) {
    LogPlace moved = new LogPlace(where.module(), place, where.options());
    return new LogTarget(moved, format, access, source);
  }

  /** Place, format, and whether there are ACLs. */
  List<Object> whereToAll() {
    return List.of(where, format, access.isEmpty() ? "all" : "some");
  }
}
