package io.loligo.server.bump;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The {@code ssl_bump} lines of a configuration. Immutable.
 *
 * <p>A tunnel is decided about in up to three steps:
 *
 * <ol>
 *   <li>The CONNECT is known.
 *   <li>The first message of the client is known, with the name of the server.
 *   <li>The certificate of the server is known, as far as it can be.
 * </ol>
 *
 * <p>In each step the first line counts whose ACLs match and whose action is possible: after a peek
 * in step 2 the tunnel can be spliced or ended, after a stare it can be bumped or ended.
 */
public final class BumpRules {
  /** No lines: every tunnel is spliced unread. */
  public static final BumpRules NONE = new BumpRules(List.of());

  /**
   * One line.
   *
   * @param condition allows if all ACLs match
   * @param needsFaults whether it asks about faults of the server's certificate
   */
  record Line(BumpAction action, AclList condition, boolean needsFaults) {}

  private final List<Line> lines;

  BumpRules(List<Line> lines) {
    this.lines = List.copyOf(lines);
  }

  /** Whether there are no lines. */
  public boolean isEmpty() {
    return lines.isEmpty();
  }

  /** Whether a line asks about the addresses of the destination. */
  public boolean needsDestination() {
    return lines.stream().anyMatch(line -> line.condition().needsDestination());
  }

  /** Whether a line asks about faults of the server's certificate. */
  public boolean needFaults() {
    return lines.stream().anyMatch(Line::needsFaults);
  }

  /** Whether no line has an action other than {@code splice}. */
  public boolean onlySplice() {
    return lines.stream().allMatch(line -> line.action() == BumpAction.SPLICE);
  }

  /** Whether a line has {@code action}. */
  public boolean have(BumpAction action) {
    return lines.stream().anyMatch(line -> line.action() == action);
  }

  /** The action of step 1. Without a match, the tunnel is spliced. */
  public BumpAction first(AclInput tunnel) {
    return choose(tunnel, EnumSet.allOf(BumpAction.class), BumpAction.SPLICE);
  }

  /** The action of step 2. Without a match, the tunnel is spliced. */
  public BumpAction second(AclInput tunnel) {
    return choose(tunnel, EnumSet.allOf(BumpAction.class), BumpAction.SPLICE);
  }

  /**
   * The action of step 3.
   *
   * @param second that of step 2: PEEK or STARE. Without a match, the tunnel is spliced after a
   *     peek and bumped after a stare
   */
  public BumpAction third(AclInput tunnel, BumpAction second) {
    BumpAction usual = second == BumpAction.PEEK ? BumpAction.SPLICE : BumpAction.BUMP;
    return choose(tunnel, EnumSet.of(usual, BumpAction.TERMINATE), usual);
  }

  private BumpAction choose(AclInput tunnel, Set<BumpAction> possible, BumpAction otherwise) {
    for (Line line : lines) {
      if (possible.contains(line.action()) && line.condition().evaluate(tunnel).allowed()) {
        return line.action();
      }
    }
    return otherwise;
  }
}
