package io.loligo.cluster.configuration;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The hashes of a configuration: one for each directive that has lines. Immutable.
 *
 * @param hash of all parts
 * @param parts at most {@value #MOST}, in the order of their names
 */
public record Configuration(long hash, List<Part> parts) {
  /** Directives with a hash of their own. */
  static final int MOST = 256;

  /** The directives beyond {@link #MOST} together. */
  static final String REST = "others";

  static final int MOST_NAME = 64;

  /**
   * A directive.
   *
   * @param name lower-case letters, digits and underscores
   * @param hash of its lines
   */
  public record Part(String name, long hash) {}

  /** That with these lines, in their order, by the name of their directive. */
  public static Configuration of(Map<String, List<String>> lines) {
    SortedMap<String, List<String>> sorted = new TreeMap<>(lines);
    List<Part> parts = new ArrayList<>();
    List<String> rest = new ArrayList<>();
    sorted.forEach(
        (name, values) -> {
          if (parts.size() < MOST - 1 || sorted.size() <= MOST) {
            parts.add(new Part(name, hash(values)));
          } else {
            rest.add(name);
            rest.addAll(values);
          }
        });
    if (!rest.isEmpty()) {
      parts.add(new Part(REST, hash(rest)));
      parts.sort((one, other) -> one.name().compareTo(other.name()));
    }
    return of(parts);
  }

  /** That with these parts, in the order of their names. */
  static Configuration of(List<Part> parts) {
    List<String> texts = new ArrayList<>();
    parts.forEach(part -> texts.add(part.name() + ' ' + part.hash()));
    return new Configuration(hash(texts), List.copyOf(parts));
  }

  private static long hash(List<String> texts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String text : texts) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        digest.update(bytes);
      }
      return ByteBuffer.wrap(digest.digest()).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every JVM has it
    }
  }

  /** Names of the directives in which {@code other} differs, sorted. */
  List<String> differences(Configuration other) {
    Set<Part> different = new HashSet<>(parts);
    Set<Part> others = new HashSet<>(other.parts);
    different.removeAll(others);
    others.removeAll(new HashSet<>(parts));
    TreeSet<String> names = new TreeSet<>();
    different.forEach(part -> names.add(part.name()));
    others.forEach(part -> names.add(part.name()));
    return Collections.unmodifiableList(new ArrayList<>(names));
  }
}
