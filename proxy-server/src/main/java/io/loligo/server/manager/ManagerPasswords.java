package io.loligo.server.manager;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code cachemgr_passwd} lines of a configuration. Immutable; any thread. */
public final class ManagerPasswords {
  /** Stands for all pages. */
  static final String ALL = "all";

  /** Nobody gets the pages of the line. */
  static final String DISABLE = "disable";

  /** Everybody gets the pages of the line without a password. */
  static final String NONE = "none";

  /** Who gets a page. */
  public enum Protection {
    /** Whoever {@code http_access} allows. */
    PUBLIC,
    /** Who has the password. */
    PROTECTED,
    /** Nobody: a line disables it. */
    DISABLED,
    /** Nobody: it needs a password, and no line gives it one. */
    HIDDEN
  }

  /** One line. */
  record Line(String password, List<String> pages) {
    boolean names(ManagerPage page) {
      return pages.contains(page.word()) || pages.contains(ALL);
    }
  }

  private final List<Line> lines;

  ManagerPasswords(List<Line> lines) {
    this.lines = List.copyOf(lines);
  }

  /** Who gets {@code page}. */
  public Protection of(ManagerPage page) {
    String password = password(page);
    if (password == null) {
      return page.needsPassword() ? Protection.HIDDEN : Protection.PUBLIC;
    }
    return switch (password) {
      case DISABLE -> Protection.DISABLED;
      case NONE -> Protection.PUBLIC;
      default -> Protection.PROTECTED;
    };
  }

  /**
   * Whether {@code given} is the password of a page that is {@link Protection#PROTECTED}. Takes the
   * same time for every wrong one of a length.
   *
   * @param given each character one byte; null: none
   */
  public boolean opens(ManagerPage page, @Nullable String given) {
    String password = password(page);
    return password != null
        && given != null
        && MessageDigest.isEqual(
            password.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** As in Squid, the first line that names the page counts. */
  private @Nullable String password(ManagerPage page) {
    for (Line line : lines) {
      if (line.names(page)) {
        return line.password();
      }
    }
    return null;
  }
}
