package io.loligo.server.accesslog;

import io.loligo.core.acl.AclList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One access_log line. Lines are tried in order and all that match write; a matching {@code none}
 * ends the search.
 *
 * @param where the place
 * @param format name of a logformat
 * @param access ACLs at the end of the line; allow-all without any
 * @param source file:line, for the warning about another place
 * @param slow which exchanges it takes, in a loligo_slow_log line; null: all
 */
public record LogTarget(
    LogPlace where, String format, AclList access, String source, @Nullable Slowness slow) {
  /** A line of access_log or icap_log; parameters as above. */
  LogTarget(LogPlace where, String format, AclList access, String source) {
    this(where, format, access, source, null);
  }

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
    return new LogTarget(moved, format, access, source, slow);
  }

  /** Place, format, the exchanges that it takes, and whether there are ACLs. */
  List<Object> whereToAll() {
    return List.of(where, format, slow == null ? "any" : slow, access.isEmpty() ? "all" : "some");
  }
}
