package io.loligo.core.caching;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.structured.BareItem;
import io.loligo.core.structured.Member;
import io.loligo.core.structured.Member.InnerList;
import io.loligo.core.structured.Member.Item;
import io.loligo.core.structured.StructuredFields;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What of a query does not matter for a response (No-Vary-Search, {@code
 * draft-ietf-httpbis-no-vary-search}). Immutable; equal where the same queries are.
 *
 * @param ignoresOrder whether parameters of different names may stand in any order
 * @param onlyNamed whether the named parameters are all that matters; else they are what does not
 * @param names decoded, sorted
 */
public record NoVarySearch(boolean ignoresOrder, boolean onlyNamed, List<String> names) {
  /** Bytes of a field value that is looked at; a longer one is as if it were not there. */
  static final int MAX_BYTES = 1024;

  private static final String FIELD = "No-Vary-Search";
  private static final Comparator<Parameter> BY_NAME = Comparator.comparing(Parameter::name);

  /** Keeps a copy of {@code names}. */
  public NoVarySearch {
    names = List.copyOf(names);
  }

  /** A parameter of a query, decoded. */
  private record Parameter(String name, String value) {}

  /**
   * The rule of {@code response}; null where it has none, where it is malformed, or where it says
   * that all of the query matters.
   */
  public static NoVarySearch of(Fields response) {
    String value = response.joined(FIELD);
    if (value == null || value.length() > MAX_BYTES) {
      return null;
    }
    Map<String, Member> members = StructuredFields.dictionary(value);
    return members == null ? null : of(members);
  }

  private static NoVarySearch of(Map<String, Member> members) {
    Member order = members.get("key-order");
    Member params = members.get("params");
    Member except = members.get("except");
    // earlier drafts, and what was deployed by them, have a boolean for all parameters
    boolean all = isTrue(params);
    if ((order != null && !isBoolean(order)) || (params != null && except != null && !all)) {
      return null;
    }
    Member named = params != null && !all ? params : except;
    List<String> names = named == null ? List.of() : names(named);
    boolean ignoresOrder = isTrue(order);
    boolean onlyNamed = all || except != null;
    boolean usual = !onlyNamed && names != null && names.isEmpty() && !ignoresOrder;
    return names == null || usual ? null : new NoVarySearch(ignoresOrder, onlyNamed, names);
  }

  private static boolean isTrue(Member member) {
    return member instanceof Item item && item.bare().value().equals(true);
  }

  private static boolean isBoolean(Member member) {
    return member instanceof Item item && item.bare().is(BareItem.Type.BOOLEAN);
  }

  /** Null where it is no list of strings. */
  private static List<String> names(Member member) {
    if (!(member instanceof InnerList list)) {
      return null;
    }
    TreeSet<String> names = new TreeSet<>();
    for (Item item : list.items()) {
      if (!item.bare().is(BareItem.Type.STRING)) {
        return null;
      }
      byte[] octets = item.bare().text().getBytes(StandardCharsets.ISO_8859_1);
      names.add(decoded(octets, 0, octets.length));
    }
    return new ArrayList<>(names);
  }

  /**
   * A digest of this rule and what matters of the query of {@code target}, in hexadecimal digits:
   * the same for queries this rule takes for equal, and for no others.
   */
  public String digest(RequestTarget target) {
    int query = Math.min(target.pathEnd(), CacheKeys.pathEnd(target) + 1);
    String rest = simplified(target.pathBytes(), query, target.pathEnd());
    MessageDigest digest = ContentDigest.sha256();
    digest.update(toString().getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    return HexFormat.of().formatHex(digest.digest(rest.getBytes(StandardCharsets.UTF_8)));
  }

  /**
   * What matters of a query, in a form that is the same for queries this rule takes for equal and
   * for no others.
   *
   * @param query {@code query[start, end)}, without question mark; borrowed
   */
  String simplified(byte[] query, int start, int end) {
    List<Parameter> parameters = new ArrayList<>();
    for (int from = start; from < end; ) {
      int to = from;
      while (to < end && query[to] != '&') {
        to++;
      }
      if (to > from) {
        Parameter parameter = parameter(query, from, to);
        if (isNamed(parameter) == onlyNamed) {
          parameters.add(parameter);
        }
      }
      from = to + 1;
    }
    if (ignoresOrder) {
      parameters.sort(BY_NAME); // stable: values of one name keep their order
    }
    StringBuilder text = new StringBuilder();
    for (Parameter parameter : parameters) {
      // lengths before both: no byte of either can be taken for an end
      text.append(parameter.name().length()).append(':').append(parameter.name());
      text.append(parameter.value().length()).append(':').append(parameter.value());
    }
    return text.toString();
  }

  private boolean isNamed(Parameter parameter) {
    return Collections.binarySearch(names, parameter.name()) >= 0;
  }

  private static Parameter parameter(byte[] query, int start, int end) {
    int equals = start;
    while (equals < end && query[equals] != '=') {
      equals++;
    }
    return new Parameter(
        decoded(query, start, equals), decoded(query, Math.min(end, equals + 1), end));
  }

  /** application/x-www-form-urlencoded (URL standard): plus is a blank, the rest UTF-8. */
  private static String decoded(byte[] octets, int start, int end) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(end - start);
    for (int i = start; i < end; i++) {
      int high = octets[i] == '%' && i + 2 < end ? Character.digit(octets[i + 1], 16) : -1;
      int low = high < 0 ? -1 : Character.digit(octets[i + 2], 16);
      if (low >= 0) {
        out.write(high << 4 | low);
        i += 2;
      } else {
        out.write(octets[i] == '+' ? ' ' : octets[i]);
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
