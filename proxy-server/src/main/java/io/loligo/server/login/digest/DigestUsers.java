package io.loligo.server.login.digest;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The users of a file of {@code digest_file_auth}: {@code NAME:PASSWORD}, {@code
 * NAME:REALM:PASSWORD} or {@code NAME:REALM:HA1}. Lines that begin with a blank or {@code #} are
 * comments. Immutable; any thread.
 */
public final class DigestUsers {
  private static final String MARK = "{HHA1}";
  private static final int MAX_NAMED = 3;

  private final String realm;

  /** By user, those of the realm only. */
  private final Map<String, Secret> secrets;

  private final List<String> unusable;

  /** A password, or its hash. */
  private record Secret(String text, @Nullable DigestAlgorithm hashedBy) {
    boolean serves(DigestAlgorithm algorithm) {
      return hashedBy == null || hashedBy == algorithm;
    }
  }

  private DigestUsers(String realm, Map<String, Secret> secrets, List<String> unusable) {
    this.realm = realm;
    this.secrets = secrets;
    this.unusable = unusable;
  }

  /**
   * The users in {@code text}, each character one byte. A line with the realm goes before one
   * without; else the last one counts.
   *
   * @param hashed {@code -c}: whether all lines have hashes
   */
  public static DigestUsers of(String text, String realm, boolean hashed) {
    Map<String, Secret> ofAnyRealm = new HashMap<>();
    Map<String, Secret> ofRealm = new HashMap<>();
    List<String> unusable = new ArrayList<>();
    text.lines()
        .filter(line -> !line.isEmpty() && "# \t".indexOf(line.charAt(0)) < 0)
        .forEach(
            line -> {
              String[] parts = line.split(":+", 4);
              if (parts.length < 2 || parts[0].isEmpty()) {
                return;
              }
              String last = parts.length > 2 ? parts[2] : parts[1];
              boolean marked = last.startsWith(MARK);
              Secret secret =
                  secret(marked ? last.substring(MARK.length()) : last, hashed || marked);
              if (secret == null) {
                unusable.add(parts[0]);
              } else if (parts.length == 2) {
                ofAnyRealm.put(parts[0], secret);
              } else if (parts[1].equals(realm)) {
                ofRealm.put(parts[0], secret);
              }
            });
    ofAnyRealm.putAll(ofRealm);
    return new DigestUsers(realm, Map.copyOf(ofAnyRealm), List.copyOf(unusable));
  }

  private static @Nullable Secret secret(String text, boolean isHash) {
    if (!isHash) {
      return text.isEmpty() ? null : new Secret(text, null);
    }
    DigestAlgorithm by = DigestAlgorithm.ofDigits(text.length());
    String hex = text.toLowerCase(Locale.ROOT);
    return by == null || !isHex(hex) ? null : new Secret(hex, by);
  }

  private static boolean isHex(String text) {
    return text.chars().allMatch(HexFormat::isHexDigit);
  }

  /** The HA1 of {@code user}, in lower case; null: there is none for {@code algorithm}. */
  public @Nullable String ha1(String user, DigestAlgorithm algorithm) {
    Secret secret = secrets.get(user);
    if (secret == null || !secret.serves(algorithm)) {
      return null;
    }
    return secret.hashedBy == null ? algorithm.ha1(user, realm, secret.text) : secret.text;
  }

  /**
   * The algorithms that a challenge may offer: SHA-256 only if all users can log in with it,
   * because clients choose the first one that they know. MD5 if there is no user at all.
   */
  public Set<DigestAlgorithm> offered() {
    EnumSet<DigestAlgorithm> offered = EnumSet.noneOf(DigestAlgorithm.class);
    if (!secrets.isEmpty()
        && secrets.values().stream().allMatch(one -> one.serves(DigestAlgorithm.SHA_256))) {
      offered.add(DigestAlgorithm.SHA_256);
    }
    if (secrets.isEmpty()
        || secrets.values().stream().anyMatch(one -> one.serves(DigestAlgorithm.MD5))) {
      offered.add(DigestAlgorithm.MD5);
    }
    return offered;
  }

  /** Why some users cannot log in, for the operator; empty: all can. */
  public String remark() {
    if (unusable.isEmpty()) {
      return "";
    }
    List<String> named = unusable.stream().sorted().limit(MAX_NAMED).toList();
    int more = unusable.size() - named.size();
    return "these users cannot log in, their lines have neither a hash of 32 nor one of 64"
        + " hexadecimal digits: "
        + String.join(", ", named)
        + (more > 0 ? " and " + more + " more" : "");
  }
}
