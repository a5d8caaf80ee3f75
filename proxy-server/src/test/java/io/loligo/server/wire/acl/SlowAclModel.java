package io.loligo.server.wire.acl;

import java.math.BigInteger;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The meaning of {@code acl} and {@code http_access} lines, derived for each request from the text
 * alone: no tables, no binary search, nothing of the compiler that it checks. It supports the
 * expressions of {@link AclFileMaker} only. Immutable.
 */
public final class SlowAclModel {
  private static final BigInteger MAPPED = BigInteger.valueOf(0xffff).shiftLeft(32);
  private static final BigInteger ALL_ONES = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE);

  private final ZoneId zone;
  private final Map<String, String> files;
  private final Map<String, List<List<String>>> acls = new LinkedHashMap<>();
  private final List<Rule> rules = new ArrayList<>();

  /**
   * The decision, and its line.
   *
   * @param line from 1; 0 if no line matches
   */
  public record Verdict(boolean allowed, int line) {}

  private record Rule(int line, boolean allow, List<String> terms) {}

  /** Of {@code file}, whose times are of {@code zone}. */
  public SlowAclModel(AclFile file, ZoneId zone) {
    this.zone = zone;
    this.files = file.values();
    define("all", "src", "all");
    define("localhost", "src", "127.0.0.1", "::1");
    define("to_localhost", "dst", "127.0.0.0/8", "0.0.0.0/8", "::1", "::");
    define("CONNECT", "method", "CONNECT");
    String[] physical = file.text().split("\n", -1);
    for (int i = 0; i < physical.length; i++) {
      int first = i + 1;
      String line = physical[i];
      while (line.endsWith("\\")) {
        String next = physical[++i].strip();
        boolean counts = !next.isEmpty() && !next.startsWith("#");
        line = counts ? line.substring(0, line.length() - 1) + next : line;
      }
      read(first, words(line));
    }
  }

  private void define(String name, String... typeAndValues) {
    acls.computeIfAbsent(name.toLowerCase(Locale.ROOT), none -> new ArrayList<>())
        .add(List.of(typeAndValues));
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    for (String word : line.strip().split("[ \t]+", -1)) {
      if (word.startsWith("#")) {
        break;
      }
      if (!word.isEmpty()) {
        words.add(word);
      }
    }
    return words;
  }

  private void read(int line, List<String> words) {
    if (words.isEmpty()) {
      return;
    }
    if (words.get(0).equals("acl")) {
      List<String> values = new ArrayList<>();
      for (String word : words.subList(2, words.size())) {
        if (word.startsWith("\"") || word.startsWith("'")) {
          for (String one : files.get(word.substring(1, word.length() - 1)).split("\n", -1)) {
            values.addAll(words(one));
          }
        } else {
          values.add(word);
        }
      }
      define(words.get(1), values.toArray(new String[0]));
    } else if (words.get(0).equals("http_access")) {
      rules.add(new Rule(line, words.get(1).equals("allow"), words.subList(2, words.size())));
    }
  }

  /** The verdict on {@code request}, whose addresses are known. */
  public Verdict judge(SampleRequest request) {
    if (rules.isEmpty()) {
      return new Verdict(false, 0);
    }
    for (Rule rule : rules) {
      if (rule.terms().stream().allMatch(term -> holds(term, request))) {
        return new Verdict(rule.allow(), rule.line());
      }
    }
    return new Verdict(!rules.get(rules.size() - 1).allow(), 0);
  }

  private boolean holds(String term, SampleRequest request) {
    return term.startsWith("!")
        ? !holds(term.substring(1), request)
        : acls.get(term.toLowerCase(Locale.ROOT)).stream()
            .anyMatch(line -> lineHolds(line, request));
  }

  private boolean lineHolds(List<String> line, SampleRequest request) {
    List<String> values = line.subList(1, line.size());
    return switch (line.get(0)) {
      case "src" -> inAny(values, request.client());
      case "dst" -> request.addresses().stream().anyMatch(address -> inAny(values, address));
      case "port" -> values.stream().anyMatch(value -> inRange(value, request.port()));
      case "localport" -> values.stream().anyMatch(value -> inRange(value, request.localPort()));
      case "myportname" -> values.contains("front" + request.localPort());
      case "method" -> values.stream().anyMatch(value -> value.equals(request.method()));
      case "proto" ->
          !request.isConnect()
              && values.stream().anyMatch(value -> value.equalsIgnoreCase(request.scheme()));
      case "dstdomain" ->
          values.stream()
              .filter(value -> !value.equals("-n"))
              .anyMatch(value -> inDomain(value.toLowerCase(Locale.ROOT), request.host()));
      case "dstdom_regex" -> found(values, request.host());
      case "url_regex" -> found(values, decoded(request.url()));
      case "urlpath_regex" -> found(values, decoded(request.path()));
      case "browser" -> found(values, request.field("User-Agent"));
      case "referer_regex" -> found(values, request.field("Referer"));
      case "req_mime_type" -> found(values, request.field("Content-Type"));
      case "req_header" -> found(values.subList(1, values.size()), request.field(values.get(0)));
      case "time" -> isTime(values, request.nowMillis());
      case "any-of" -> values.stream().anyMatch(term -> holds(term, request));
      case "all-of" -> values.stream().allMatch(term -> holds(term, request));
      default -> throw new IllegalArgumentException(line.toString());
    };
  }

  private static boolean inDomain(String value, String host) {
    return value.startsWith(".")
        ? host.equals(value.substring(1)) || host.endsWith(value)
        : host.equals(value);
  }

  private static boolean inRange(String value, int number) {
    String[] ends = value.split("-", -1);
    return number >= Integer.parseInt(ends[0]) && number <= Integer.parseInt(ends[ends.length - 1]);
  }

  private static boolean inAny(List<String> values, String address) {
    return values.stream().anyMatch(value -> isIn(value, number(address)));
  }

  /** All addresses are numbers of 128 bits, IPv4 ones those of the mapped ones. */
  private static BigInteger number(String address) {
    byte[] bytes = SampleRequest.bytes(address);
    BigInteger number = new BigInteger(1, bytes);
    return bytes.length == 4 ? number.add(MAPPED) : number;
  }

  private static boolean isIn(String value, BigInteger address) {
    boolean isV4 = address.shiftRight(32).equals(BigInteger.valueOf(0xffff));
    if (value.equals("all") || value.equals("0.0.0.0/0")) {
      return true;
    }
    if (value.equals("ipv4") || value.equals("ipv6")) {
      return value.equals("ipv4") == isV4;
    }
    String[] parts = value.split("/", -1);
    String[] ends = parts[0].split("-", -1);
    boolean rangeIsV4 = SampleRequest.bytes(ends[0]).length == 4;
    BigInteger mask = parts.length == 1 ? ALL_ONES : mask(parts[1], rangeIsV4);
    BigInteger masked = address.and(mask);
    return rangeIsV4 == isV4
        && masked.compareTo(number(ends[0]).and(mask)) >= 0
        && masked.compareTo(number(ends[ends.length - 1]).and(mask)) <= 0;
  }

  private static BigInteger mask(String text, boolean ofV4) {
    if (text.contains(".")) {
      BigInteger upper = ALL_ONES.shiftRight(32).shiftLeft(32);
      return upper.or(new BigInteger(1, SampleRequest.bytes(text)));
    }
    int ones = Integer.parseInt(text) + (ofV4 ? 96 : 0);
    return ALL_ONES.shiftRight(128 - ones).shiftLeft(128 - ones);
  }

  private static boolean found(List<String> values, String text) {
    if (text == null) {
      return false;
    }
    int flags = Pattern.DOTALL;
    for (String value : values) {
      switch (value) {
        case "-i" -> flags |= Pattern.CASE_INSENSITIVE;
        case "+i" -> flags &= ~Pattern.CASE_INSENSITIVE;
        case "-n" -> {}
        default -> {
          String java =
              value
                  .replace("[:digit:]", "0-9")
                  .replace("[:alpha:]", "A-Za-z")
                  .replace("[:space:]", "\\s");
          if (Pattern.compile(java, flags).matcher(text).find()) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static String decoded(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      String rest = text.substring(i);
      if (rest.matches("(?s)%(?!00)[0-9a-fA-F]{2}.*")) {
        out.append((char) Integer.parseInt(rest.substring(1, 3), 16));
        i += 2;
      } else {
        out.append(rest.charAt(0));
        i += rest.startsWith("%%") ? 1 : 0;
      }
    }
    return out.toString();
  }

  private boolean isTime(List<String> values, long millis) {
    ZonedDateTime now = Instant.ofEpochMilli(millis).atZone(zone);
    char today = "SMTWHFA".charAt(now.getDayOfWeek().getValue() % 7);
    boolean weekday = "MTWHF".indexOf(today) >= 0;
    int minute = now.getHour() * 60 + now.getMinute();
    String days = "";
    for (String value : values) {
      boolean day =
          days.isEmpty() || days.indexOf(today) >= 0 || (weekday && days.indexOf('D') >= 0);
      if (!Character.isDigit(value.charAt(0))) {
        days += value;
      } else {
        String[] ends = value.split("-", -1);
        if (day && minute >= minute(ends[0]) && minute <= minute(ends[1])) {
          return true;
        }
        days = "";
      }
    }
    return days.indexOf(today) >= 0 || (weekday && days.indexOf('D') >= 0);
  }

  private static int minute(String text) {
    String[] parts = text.split(":", -1);
    return Integer.parseInt(parts[0]) * 60 + Integer.parseInt(parts[1]);
  }
}
