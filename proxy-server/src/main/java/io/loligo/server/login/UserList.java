package io.loligo.server.login;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The users of a file of {@code basic_ncsa_auth}: {@code NAME:HASH} lines, further fields ignored.
 * Lines that are empty or begin with a blank or {@code #} are comments. Immutable; any thread.
 */
final class UserList {
  private static final int MAX_NAMED = 3;

  private final Map<String, PasswordHash> hashes;
  private final PasswordHash decoy;

  private UserList(Map<String, PasswordHash> hashes) {
    this.hashes = hashes;
    decoy =
        hashes.values().stream()
            .filter(PasswordHash::isUsable)
            .findFirst()
            .orElse(PasswordHash.of(""));
  }

  /** The users in {@code text}, each character one byte. The last line of a name counts. */
  static UserList of(String text) {
    Map<String, PasswordHash> hashes = new HashMap<>();
    text.lines()
        .filter(line -> !line.isEmpty() && "# \t".indexOf(line.charAt(0)) < 0)
        .map(line -> line.split(":", 3))
        .filter(parts -> parts.length > 1 && !parts[0].isEmpty() && !parts[1].isEmpty())
        .forEach(parts -> hashes.put(parts[0], PasswordHash.of(parts[1])));
    return new UserList(Map.copyOf(hashes));
  }

  /** The hash of this user; null: there is no such user. */
  @Nullable PasswordHash hash(String user) {
    return hashes.get(user);
  }

  /** A hash to check against in the place of a missing one, so that both take the same time. */
  PasswordHash decoy() {
    return decoy;
  }

  /**
   * Why some users can never log in, for the operator.
   *
   * @param caseSensitive whether names of clients keep their capitals
   */
  List<String> remarks(boolean caseSensitive) {
    List<String> unusable = new ArrayList<>();
    List<String> capitals = new ArrayList<>();
    hashes.forEach(
        (user, hash) -> {
          if (!hash.isUsable()) {
            unusable.add(user);
          } else if (!caseSensitive && !user.equals(user.toLowerCase(Locale.ROOT))) {
            capitals.add(user);
          }
        });
    List<String> remarks = new ArrayList<>();
    if (!unusable.isEmpty()) {
      remarks.add(
          "these users cannot log in, their hashes are old DES, plain text or unknown: "
              + some(unusable)
              + "; make new ones with htpasswd -B");
    }
    if (!capitals.isEmpty()) {
      remarks.add(
          "these users cannot log in, because names of clients are put into lower case: "
              + some(capitals)
              + "; write auth_param basic casesensitive on");
    }
    return remarks;
  }

  private static String some(List<String> names) {
    List<String> sorted = names.stream().sorted().limit(MAX_NAMED).toList();
    int more = names.size() - sorted.size();
    return String.join(", ", sorted) + (more > 0 ? " and " + more + " more" : "");
  }
}
