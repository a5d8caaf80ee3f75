package io.loligo.core.caching;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.structured.BareItem;
import io.loligo.core.structured.FieldMember;
import io.loligo.core.structured.FieldMember.InnerList;
import io.loligo.core.structured.FieldMember.Item;
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
import org.jspecify.annotations.Nullable;

/**
 * The parts of a query that are irrelevant for a response (No-Vary-Search, {@code
 * draft-ietf-httpbis-no-vary-search}). Immutable; equal if they treat the same queries as equal.
 *
 * @param ignoresOrder whether parameters of different names may be in any order
 * @param onlyNamed whether only the named parameters are relevant; else they are the irrelevant
 *     ones
 * @param names decoded, sorted
 */
public record NoVarySearch(boolean ignoresOrder, boolean onlyNamed, List<String> names) {
  /** Longest field value, in bytes, that is read; a longer one is ignored. */
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
   * The rule of {@code response}; null if it has none, if it is malformed, or if it makes the whole
   * query relevant.
   */
  public static @Nullable NoVarySearch of(Fields response) {
    String value = response.joined(FIELD);
    if (value == null || value.length() > MAX_BYTES) {
      return null;
    }
    Map<String, FieldMember> members = StructuredFields.dictionary(value);
    return members == null ? null : of(members);
  }

  private static @Nullable NoVarySearch of(Map<String, FieldMember> members) {
    FieldMember order = members.get("key-order");
    FieldMember params = members.get("params");
    FieldMember except = members.get("except");
    // earlier drafts, and deployments of them, have a boolean for all parameters
    boolean all = isTrue(params);
    if ((order != null && !isBoolean(order)) || (params != null && except != null && !all)) {
      return null;
    }
    FieldMember named = params != null && !all ? params : except;
    List<String> names = named == null ? List.of() : names(named);
    boolean ignoresOrder = isTrue(order);
    boolean onlyNamed = all || except != null;
    boolean usual = !onlyNamed && names != null && names.isEmpty() && !ignoresOrder;
    return names == null || usual ? null : new NoVarySearch(ignoresOrder, onlyNamed, names);
  }

  private static boolean isTrue(@Nullable FieldMember member) {
    return member instanceof Item item && item.bare().value().equals(true);
  }

  private static boolean isBoolean(FieldMember member) {
    return member instanceof Item item && item.bare().is(BareItem.Type.BOOLEAN);
  }

  /** Null if it is not a list of strings. */
  private static @Nullable List<String> names(FieldMember member) {
    if (!(member instanceof InnerList list)) {
      return null;
    }
    TreeSet<String> names = new TreeSet<>();
    for (Item item : list.items()) {
      if (!item.bare().is(BareItem.Type.STRING)) {
        return null;
      }
      byte[] bytes = item.bare().text().getBytes(StandardCharsets.ISO_8859_1);
      names.add(decoded(bytes, 0, bytes.length));
    }
    return new ArrayList<>(names);
  }

  /**
   * A digest of this rule and the relevant parts of the query of {@code target}, in hexadecimal
   * digits: the same for queries that this rule treats as equal, and for no others.
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
   * The relevant parts of a query, in a form that is the same for queries that this rule treats as
   * equal and for no others.
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
      // with both lengths first, so that no byte of either can be taken for an end
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
  private static String decoded(byte[] bytes, int start, int end) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(end - start);
    for (int i = start; i < end; i++) {
      int high = bytes[i] == '%' && i + 2 < end ? Character.digit(bytes[i + 1], 16) : -1;
      int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
      if (low >= 0) {
        out.write(high << 4 | low);
        i += 2;
      } else {
        out.write(bytes[i] == '+' ? ' ' : bytes[i]);
      }
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
