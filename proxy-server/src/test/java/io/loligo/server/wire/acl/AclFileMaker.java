package io.loligo.server.wire.acl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Random files of access rules, and requests that they may match: few names and addresses, so that
 * they do. The same seed makes the same files and requests. Confined to one thread.
 *
 * <p>Portable ones contain requests that can be sent over loopback and rules that Squid reads in
 * one way: it drops an address range that overlaps another of its list and goes beyond it, and a
 * domain within an earlier one.
 */
public final class AclFileMaker {
  private static final List<String> NAMED_HOSTS =
      List.of("a.test", "www.a.test", "x.www.a.test", "xa.test", "b.test", "www.example.com");
  private static final Map<String, List<String>> ADDRESSES =
      Map.of(
          "a.test", List.of("10.1.1.1"),
          "www.a.test", List.of("10.1.1.77"),
          "x.www.a.test", List.of("192.0.2.7"),
          "xa.test", List.of("127.0.0.9"),
          "b.test", List.of("10.200.0.1"),
          "www.example.com", List.of("198.51.100.3"));

  private static final List<String> HOST_EXPRESSIONS =
      List.of(
          "a\\.test$", "^www\\.", "WWW", "x", "^[[:alpha:]]+\\.test$", "(a|b)\\.test", "^[0-9.]+$");
  private static final List<String> URL_EXPRESSIONS =
      List.of(
          "^http://",
          "/admin",
          "ADMIN",
          "\\?",
          "^http://[^/]*a\\.test",
          ":8080",
          "\\.gif$",
          "%41",
          "[[:digit:]]{2}",
          "a b",
          "x=(1|2)",
          "example|b\\.test",
          "443$");
  private static final List<String> PATH_EXPRESSIONS =
      List.of(
          "^/$",
          "^/admin",
          "ADMIN",
          "\\.gif$",
          "\\.(gif|png)",
          "\\?x",
          "[[:space:]]",
          "%00",
          "%41",
          "A",
          "^/img/",
          "^/+img",
          "[^a-z/]",
          "o{2}",
          ".*logo.*");
  private static final List<String> FIELD_EXPRESSIONS =
      List.of("^Mozilla", "mozilla", "curl/[0-9]+", "^$", "text/", "^a$", "a, b", "b$", ".", "x|y");
  private static final List<String> METHODS =
      List.of("GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "FOO");
  private static final List<String> PATHS =
      List.of(
          "/",
          "/admin",
          "/%61dmin",
          "/ADMIN/x",
          "/img/logo.gif",
          "/IMG/LOGO.GIF",
          "//img/a.png",
          "/a%20b",
          "/%2541",
          "/x%41",
          "/%00",
          "/?x=1",
          "/page?x=12&y=%3F",
          "/foo");
  private static final List<String> ODD_PATHS = List.of("/100%%", "/x%", "/x%4", "/%zz%61");
  private static final List<Integer> PORTS = List.of(80, 80, 80, 443, 8080, 21, 1025, 65535);

  private final Random random;
  private final boolean portable;
  private final List<Integer> localPorts;
  private final String folder;
  private StringBuilder text;
  private Map<String, String> values;
  private Map<String, String> types;

  /**
   * @param localPorts where requests go to
   * @param folder where files of values are
   */
  public AclFileMaker(long seed, boolean portable, List<Integer> localPorts, String folder) {
    this.random = new Random(seed);
    this.portable = portable;
    this.localPorts = localPorts;
    this.folder = folder;
  }

  /** Names and their addresses, in the form of a file of hosts. */
  public static String hosts() {
    StringBuilder hosts = new StringBuilder();
    for (String name : NAMED_HOSTS) {
      hosts.append(ADDRESSES.get(name).get(0)).append(' ').append(name).append('\n');
    }
    return hosts.toString();
  }

  /** The next file. */
  public AclFile next() {
    text = new StringBuilder();
    values = new LinkedHashMap<>();
    types = new LinkedHashMap<>();
    types.put("all", "src");
    types.put("CONNECT", "method");
    types.put("localhost", "src");
    int acls = 1 + random.nextInt(9);
    for (int i = 0; i < acls; i++) {
      acl(i);
    }
    int rules = random.nextInt(20) == 0 ? 0 : 1 + random.nextInt(6);
    for (int i = 0; i < rules; i++) {
      decorate();
      line("http_access " + any(List.of("allow ", "deny ")) + terms(List.copyOf(types.keySet())));
    }
    return new AclFile(text.toString(), values);
  }

  private void decorate() {
    switch (random.nextInt(12)) {
      case 0 -> text.append("# http_access allow all\n");
      case 1 -> text.append('\n');
      default -> {}
    }
  }

  /** A line, now and then with tabs, a comment behind it, or cut in two. */
  private void line(String line) {
    String written = line;
    switch (random.nextInt(12)) {
      case 0 -> written = line.replace(" ", " \t ");
      case 1 -> written = line + " # deny all";
      case 2 -> {
        int blank = line.lastIndexOf(' ');
        String between = any(List.of("", "  # deny all \\\n", " \n"));
        written = line.substring(0, blank) + " \\\n" + between + "  " + line.substring(blank + 1);
      }
      default -> {}
    }
    text.append(written).append('\n');
  }

  private String terms(List<String> names) {
    List<String> terms = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      terms.add((random.nextInt(3) == 0 ? "!" : "") + inSomeCase(any(names)));
    }
    return String.join(" ", terms);
  }

  private String inSomeCase(String name) {
    return switch (random.nextInt(8)) {
      case 0 -> name.toUpperCase(Locale.ROOT);
      case 1 -> name.toLowerCase(Locale.ROOT);
      default -> name;
    };
  }

  private void acl(int number) {
    decorate();
    boolean again = number > 0 && random.nextInt(8) == 0;
    if (again) {
      // one more line of an ACL that exists; a range more of one may be too much for Squid
      String name = any(List.copyOf(types.keySet()));
      String type = types.get(name);
      boolean predefined = !name.startsWith("n");
      if (!predefined && !(portable && isOrdered(type)) && !type.equals("req_header")) {
        line("acl " + name + " " + type + " " + valuesOf(type, name));
        return;
      }
    }
    List<String> known =
        List.of(
            "src",
            "src",
            "dst",
            "port",
            "localport",
            "myportname",
            "method",
            "proto",
            "dstdomain",
            "dstdomain",
            "dstdom_regex",
            "url_regex",
            "urlpath_regex",
            "browser",
            "referer_regex",
            "req_mime_type",
            "req_header",
            "time",
            "any-of",
            "all-of");
    String type = any(known);
    String name = "n" + number + any(List.of("", "-x", ".y", "_Z"));
    line("acl " + name + " " + type + " " + valuesOf(type, name));
    types.put(name, type);
  }

  /** The names defined before {@code name}: a group of these never contains itself. */
  private List<String> above(String name) {
    List<String> names = List.copyOf(types.keySet());
    int own = names.indexOf(name);
    return own < 0 ? names : names.subList(0, own);
  }

  private static boolean isOrdered(String type) {
    return type.equals("src") || type.equals("dst") || type.equals("dstdomain");
  }

  private String valuesOf(String type, String name) {
    return switch (type) {
      case "src", "dst" -> list(type, name, addresses());
      case "port" ->
          list(type, name, some(List.of("80", "443", "8080", "1-1024", "1025-65535", "21")));
      case "localport" ->
          String.join(" ", some(localPorts.stream().map(port -> Integer.toString(port)).toList()));
      case "myportname" ->
          String.join(" ", some(localPorts.stream().map(port -> "front" + port).toList()));
      case "method" -> list(type, name, some(METHODS));
      case "proto" -> String.join(" ", some(List.of("http", "HTTP", "https", "ftp")));
      case "dstdomain" -> (portable ? "-n " : maybe("-n ")) + list(type, name, domains());
      case "dstdom_regex" -> (portable ? "-n " : "") + expressions(HOST_EXPRESSIONS);
      case "url_regex" -> expressions(oneWord(URL_EXPRESSIONS));
      case "urlpath_regex" -> expressions(PATH_EXPRESSIONS);
      case "browser", "referer_regex", "req_mime_type" -> expressions(oneWord(FIELD_EXPRESSIONS));
      case "req_header" ->
          any(List.of("X-Test", "x-test", "User-Agent"))
              + " "
              + expressions(oneWord(FIELD_EXPRESSIONS));
      case "time" -> times();
      default -> terms(above(name));
    };
  }

  private static List<String> oneWord(List<String> expressions) {
    return expressions.stream().filter(one -> one.indexOf(' ') < 0).toList();
  }

  /** On the line, or now and then in a file. */
  private String list(String type, String name, List<String> given) {
    if (random.nextInt(6) > 0) {
      return String.join(" ", given);
    }
    String path = folder + "/" + name + "." + type + values.size();
    values.put(path, "# values\n" + String.join("\n", given) + "\n");
    String quote = any(List.of("\"", "'"));
    return quote + path + quote;
  }

  private List<String> addresses() {
    if (portable) {
      // none of these overlaps another and goes beyond it
      return some(
          List.of(
              "127.0.0.1",
              "127.0.0.2/31",
              "127.0.0.4-127.0.0.6",
              "127.0.0.8/30",
              "10.1.0.0/16",
              "10.200.0.0/255.255.255.0",
              "192.0.2.7",
              "198.51.100.0-198.51.100.9",
              "::1"));
    }
    return some(
        List.of(
            "127.0.0.1",
            "127.0.0.2/31",
            "127.0.0.4-127.0.0.6",
            "127.0.0.5-127.0.0.9",
            "127.0.0.0/8",
            "10.1.0.0/16",
            "10.1.1.0/255.255.255.192",
            "10.1.2.3/8",
            "10.0.0.0-10.5.0.0/16",
            "192.0.2.7",
            "::ffff:192.0.2.7",
            "::1",
            "2001:db8::/32",
            "2001:db8::1-2001:db8::9",
            "2001:db8::5-2001:db8::ff",
            "ipv6",
            "ipv4",
            "0.0.0.0/0"));
  }

  private List<String> domains() {
    List<String> all =
        List.of(
            ".a.test",
            "a.test",
            "www.a.test",
            ".b.test",
            "EXAMPLE.com",
            ".Example.com",
            ".test",
            "10.1.1.1",
            "test");
    return portable ? List.of(any(all)) : some(all);
  }

  private String expressions(List<String> all) {
    StringBuilder line = new StringBuilder();
    for (String one : some(all)) {
      line.append(maybe(any(List.of("-i ", "+i ")))).append(one).append(' ');
    }
    return line.toString().strip();
  }

  private String times() {
    String days = any(List.of("MTWHF", "D", "SA", "S", "M", "T", "W", "H", "F", "A", "DA"));
    int from = random.nextInt(24);
    int to = from + random.nextInt(24 - from);
    String hours =
        from + ":" + any(List.of("00", "30")) + "-" + to + ":" + any(List.of("30", "59"));
    return switch (random.nextInt(5)) {
      case 0 -> days;
      case 1 -> hours;
      case 2 -> String.join(" ", days.split("")) + " " + hours;
      case 3 -> hours + " " + days + " 6:00-18:00";
      default -> days + " " + hours;
    };
  }

  /**
   * A request.
   *
   * @param nowMillis when it is made, where the maker is portable; else it is a time of its own
   */
  public SampleRequest request(long nowMillis) {
    String method = any(METHODS);
    String host = random.nextInt(4) > 0 ? any(NAMED_HOSTS) : any(List.of("10.1.1.1", "192.0.2.8"));
    if (random.nextInt(10) == 0) {
      host = "2001:db8:0:0:0:0:0:5";
    }
    List<String> addresses = ADDRESSES.getOrDefault(host, List.of(host));
    if (!portable && random.nextInt(4) == 0) {
      addresses = some(List.of("10.1.1.1", "10.3.0.9", "127.0.0.1", "2001:db8::5", "192.0.2.7"));
    }
    List<String> fields = new ArrayList<>();
    field(fields, "User-Agent", List.of("Mozilla/5.0 (x)", "curl/8", "mozilla", "y"));
    field(fields, "Referer", List.of("http://a.test/", "x"));
    field(fields, "Content-Type", List.of("text/html", "a"));
    field(fields, "X-Test", List.of("a", "b", "Mozilla"));
    if (!fields.isEmpty() && fields.get(fields.size() - 1).startsWith("X-Test")) {
      field(fields, "X-Test", List.of("b", "c"));
    }
    boolean connect = method.equals("CONNECT");
    return new SampleRequest(
        client(),
        any(localPorts),
        method,
        !portable && random.nextInt(6) == 0 ? "https" : "http",
        host,
        connect && random.nextBoolean() ? 443 : any(PORTS),
        connect ? "" : !portable && random.nextInt(6) == 0 ? any(ODD_PATHS) : any(PATHS),
        fields,
        addresses,
        portable ? nowMillis : nowMillis + random.nextInt(7 * 24 * 60) * 60_000L);
  }

  private String client() {
    if (portable || random.nextBoolean()) {
      return "127.0.0." + (1 + random.nextInt(12));
    }
    return any(
        List.of(
            "10.1.1.63",
            "10.1.1.64",
            "10.5.255.255",
            "10.6.0.0",
            "192.0.2.7",
            "2001:db8::9",
            "2001:db8::a",
            "2001:db8::100",
            "2001:db9::",
            "::1",
            "11.0.0.0"));
  }

  private void field(List<String> fields, String name, List<String> all) {
    if (random.nextInt(3) == 0) {
      fields.add(name + ": " + any(all));
    }
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private String maybe(String word) {
    return random.nextInt(4) == 0 ? word : "";
  }

  /** One to three of them, each once. */
  private <T> List<T> some(List<T> all) {
    List<T> some = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      T one = any(all);
      if (!some.contains(one)) {
        some.add(one);
      }
    }
    return some;
  }
}
