package io.loligo.core.acl;

import com.google.re2j.Pattern;
import io.loligo.core.message.IpText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values of one ACL while its lines are read. Confined to one thread. */
final class NamedAcl {
  private static final int PORT_MAX = 65_535;
  private final String name;
  final AclType type;
  final AddressSet.Builder addresses = new AddressSet.Builder();
  final List<int[]> ranges = new ArrayList<>();
  final Set<String> words = new LinkedHashSet<>();
  final List<Pattern> expressions = new ArrayList<>();
  final List<WeekTimes.Span> spans = new ArrayList<>();
  final List<List<String>> groups = new ArrayList<>();

  /** The field, the attribute or the note that all lines name. */
  String field = "";

  final List<Annotation> annotations = new ArrayList<>();
  final List<MarkMask> marks = new ArrayList<>();

  /** {@code -m=} of {@code note} and of annotations: the characters between tokens. */
  String delimiters = NoteCondition.USUAL_DELIMITERS;

  int most = -1;

  /** Of {@code random}: from 0 to 1; -1: without a value. */
  double chance = -1;

  /** Whether {@code dst} compares an address in the URL only: {@code -n}. */
  boolean looksNothingUp;

  /** {@code max_user_ip -s}, {@code proxy_auth -i} and {@code proxy_auth REQUIRED}, on any line. */
  boolean strict;

  boolean ignoresCase;
  boolean anyUser;

  @Nullable ExternalAcl external;

  /** Of {@code loligo_added}. */
  final AddedHosts added = new AddedHosts();

  /** Whether no line of {@code dstdomain} or {@code dstdom_regex} has {@code -n}. */
  boolean looksUpNames = true;

  // of the present line
  private boolean ignoreCase;

  ServerNameCondition.Source source = ServerNameCondition.Source.BEST;

  NamedAcl(String name, AclType type) {
    this.name = name;
    this.type = type;
  }

  String name() {
    return name;
  }

  AclType type() {
    return type;
  }

  boolean looksNothingUp() {
    return looksNothingUp;
  }

  List<List<String>> groups() {
    return groups;
  }

  /** The values so far, to compare them with those of another ACL. */
  AclValues compared() {
    Set<String> texts = new LinkedHashSet<>(words);
    expressions.forEach(one -> texts.add(one.flags() + " " + one.pattern()));
    spans.forEach(one -> texts.add(one.toString()));
    return new AclValues(
        addresses.build(),
        new NumberRanges(ranges),
        texts,
        field + (type == AclType.PROXY_AUTH ? ignoresCase : ""),
        anyUser,
        looksNothingUp,
        looksUpNames,
        most);
  }

  boolean hasWord(String word) {
    return words.contains(word);
  }

  /** Takes the values of one more line. */
  void add(List<String> values, Acls acls, List<AclProblem> problems) {
    ignoreCase = false;
    int from = options(values, problems);
    switch (type) {
      case TIME -> times(values, from, problems);
      case MAXCONN, MAX_USER_IP -> number(values.subList(from, values.size()), problems);
      case ANY_OF, ALL_OF -> group(values, from, acls, problems);
      case USER_CERT, CA_CERT -> certificate(values, from, problems);
      case EXTERNAL -> external(values, from, problems);
      case NOTE -> note(values, from, problems);
      case ANNOTATE_CLIENT, ANNOTATE_TRANSACTION -> annotations(values, from, problems);
      default -> {
        anyUser |=
            (type == AclType.PROXY_AUTH || type == AclType.EXT_USER)
                && from < values.size()
                && values.get(from).equals(UserCondition.REQUIRED);
        if (type.takesExpressions()) {
          expressions(values, from, problems);
        } else {
          for (int i = from; i < values.size(); i++) {
            value(i, values.get(i), acls, problems);
          }
        }
      }
    }
  }

  /** The ACL that a helper decides; null: its line is wrong, or it has another type. */
  @Nullable ExternalAcl external() {
    return external;
  }

  private void external(List<String> values, int from, List<AclProblem> problems) {
    if (external != null || from == values.size()) {
      problems.add(
          error(-1, String.join(" ", values), "one line: NAME of an external_acl_type", ""));
      return;
    }
    external = new ExternalAcl(name, values.get(from), values.subList(from + 1, values.size()));
    words.add(values.get(from));
  }

  private void value(int index, String value, Acls acls, List<AclProblem> problems) {
    switch (type) {
      case SRC, DST, LOCALIP -> address(index, value, acls, problems);
      case PORT, LOCALPORT -> range(index, value, PORT_MAX, problems);
      case HTTP_STATUS -> range(index, value, 999, problems);
      case DSTDOMAIN, SRCDOMAIN -> domain(index, value, problems);
      case ARP, EUI64 -> hardware(index, value, problems);
      case CLIENTSIDE_MARK, CLIENT_CONNECTION_MARK -> mark(index, value, problems);
      case HIER_CODE -> oneOf(index, value, AclWords.WAYS, problems);
      case SQUID_ERROR -> page(index, value, problems);
      case SERVER_CERT_FINGERPRINT -> fingerprint(index, value, problems);
      case METHOD -> method(value);
      case PROTO -> scheme(index, value, problems);
      case SSL_ERROR -> fault(index, value, problems);
      case SSL_SERVER_NAME -> domain(index, value, problems);
      case AT_STEP -> oneOf(index, value, AclWords.STEPS, problems);
      case TRANSACTION_INITIATOR -> oneOf(index, value, AclWords.INITIATORS, problems);
      case HAS -> oneOf(index, value, AclWords.PARTS, problems);
      case RANDOM -> random(index, value, problems);
      case CONNECTIONS_ENCRYPTED, ADDED, OTHER_SERVER_NAME ->
          problems.add(error(index, value, "no value", "remove the value"));
      default -> words.add(value);
    }
  }

  /**
   * Reads the options before the values, including several letters after one sign and {@code --} at
   * their end; returns where the values begin.
   */
  private int options(List<String> values, List<AclProblem> problems) {
    int at = 0;
    while (at < values.size() && isOption(values.get(at))) {
      String word = values.get(at);
      if (word.equals("--")) {
        return at + 1;
      }
      if (isDelimiters(word) || isDigest(word)) {
        at++;
        continue;
      }
      boolean source = word.startsWith("--") && isSource(word);
      if (!source && (word.length() == 1 || word.startsWith("--"))) {
        problems.add(error(at, word, "an option this type has", "remove it, or write -- before"));
      }
      for (int i = 1; i < word.length() && !word.startsWith("--"); i++) {
        option(at, word, word.substring(0, 1) + word.charAt(i), problems);
      }
      at++;
    }
    return at;
  }

  /** Whether {@code word} is {@code -m}, or names delimiters; they count from now on. */
  private boolean isDelimiters(String word) {
    boolean takes =
        type == AclType.NOTE
            || type == AclType.ANNOTATE_CLIENT
            || type == AclType.ANNOTATE_TRANSACTION;
    if (takes && word.startsWith("-m=") && word.length() > 3) {
      delimiters = unquoted(word.substring(3));
      return true;
    }
    return takes && word.equals("-m");
  }

  private static String unquoted(String text) {
    int last = text.length() - 1;
    boolean quoted =
        last > 0
            && text.charAt(0) == text.charAt(last)
            && (text.charAt(0) == '"' || text.charAt(0) == '\'');
    return quoted ? text.substring(1, last) : text;
  }

  private boolean isDigest(String word) {
    return type == AclType.SERVER_CERT_FINGERPRINT && word.equalsIgnoreCase("-sha1");
  }

  /** Whether {@code word} names a source of server names; it counts from now on. */
  private boolean isSource(String word) {
    if (type != AclType.SSL_SERVER_NAME && type != AclType.SSL_SERVER_NAME_REGEX) {
      return false;
    }
    ServerNameCondition.Source named = ServerNameCondition.Source.of(word);
    if (named != null) {
      source = named;
    }
    return named != null;
  }

  private static boolean isOption(String word) {
    return word.startsWith("-") || word.startsWith("+");
  }

  private void option(int index, String word, String option, List<AclProblem> problems) {
    boolean cases = option.equals("-i") || option.equals("+i");
    boolean names = type == AclType.DSTDOMAIN || type == AclType.DSTDOM_REGEX;
    if (option.equals("-s") && type == AclType.MAX_USER_IP) {
      strict = true;
    } else if (option.equals("-i") && (type == AclType.PROXY_AUTH || type == AclType.EXT_USER)) {
      ignoresCase = true;
    } else if (cases && type.takesExpressions()) {
      ignoreCase = option.equals("-i");
    } else if (option.equals("-n") && type == AclType.DST) {
      looksNothingUp = true;
    } else if (option.equals("-n") && names) {
      looksUpNames = false;
    } else {
      problems.add(error(index, word, "an option this type has", "remove the option"));
    }
  }

  private void address(int index, String value, Acls acls, List<AclProblem> problems) {
    String error = AddressText.read(value, addresses, acls.resolver(), index, problems);
    if (error != null) {
      problems.add(
          error(
              index,
              value,
              "an address, address/bits, first-last, all or a host name that resolves",
              error));
    }
  }

  private void oneOf(int index, String value, List<String> known, List<AclProblem> problems) {
    if (known.contains(value)) {
      words.add(value);
    } else {
      problems.add(error(index, value, "one of " + String.join(", ", known), ""));
    }
  }

  private void range(int index, String value, int most, List<AclProblem> problems) {
    int dash = value.indexOf('-');
    boolean open = dash == value.length() - 1 && type == AclType.HTTP_STATUS;
    int first = number(dash < 0 ? value : value.substring(0, dash));
    int last = dash < 0 ? first : open ? most : number(value.substring(dash + 1));
    if (first < 0 || last < first || last > most) {
      problems.add(error(index, value, "a number or first-last up to " + most, ""));
      return;
    }
    ranges.add(new int[] {first, last});
  }

  private void random(int index, String value, List<AclProblem> problems) {
    int sign = Math.max(value.indexOf('/'), value.indexOf(':'));
    int first = sign < 0 ? -1 : number(value.substring(0, sign));
    int second = sign < 0 ? -1 : number(value.substring(sign + 1));
    if (value.matches("0[.][0-9]{1,9}")) {
      chance = Double.parseDouble(value);
    } else if (first > 0 && second > 0) {
      boolean ratio = value.charAt(sign) == ':';
      chance = Math.min(1, (double) first / (ratio ? first + second : second));
    } else {
      problems.add(error(index, value, "1/4, 1:3 or 0.25", ""));
    }
  }

  private static int number(String text) {
    if (text.isEmpty() || text.length() > 7) {
      return -1;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return -1;
      }
    }
    return Integer.parseInt(text);
  }

  private void domain(int index, String value, List<AclProblem> problems) {
    String host = value.toLowerCase(Locale.ROOT);
    if (host.startsWith("*")) {
      problems.add(
          error(
              index,
              value,
              "a host name, or .example.com for a domain and all below it",
              "write " + (host.startsWith("*.") ? host.substring(1) : "dstdom_regex")));
      return;
    }
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.length() > 1 && host.endsWith(".")) {
      host = host.substring(0, host.length() - 1);
    }
    if (host.isEmpty() || host.equals(".") || host.indexOf('/') >= 0) {
      problems.add(error(index, value, "a host name without scheme and path", ""));
      return;
    }
    words.add(IpText.normal(host));
  }

  private void hardware(int index, String value, List<AclProblem> problems) {
    boolean mac = type == AclType.ARP;
    String address = mac ? HardwareAddress.mac(value) : HardwareAddress.eui64(value);
    if (address == null) {
      String form = mac ? "a MAC address: 6" : "an EUI-64: 8";
      problems.add(error(index, value, form + " bytes in hexadecimal with colons between", ""));
    } else {
      words.add(address);
    }
  }

  private void mark(int index, String value, List<AclProblem> problems) {
    MarkMask mark = MarkMask.read(value);
    if (mark == null) {
      problems.add(error(index, value, "MARK or MARK/MASK, each 0 to 0xFFFFFFFF", ""));
    } else {
      marks.add(mark);
    }
  }

  private void page(int index, String value, List<AclProblem> problems) {
    if (value.matches("ERR_[A-Z0-9_]+")) {
      words.add(value);
    } else {
      problems.add(error(index, value, "the name of a page such as ERR_DNS_FAIL", ""));
    }
  }

  private void fingerprint(int index, String value, List<AclProblem> problems) {
    if (value.matches("[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){19}")) {
      words.add(value.toUpperCase(Locale.ROOT));
    } else {
      problems.add(error(index, value, "the 20 bytes of a SHA-1 digest as AA:BB:...", ""));
    }
  }

  private void note(List<String> values, int from, List<AclProblem> problems) {
    if (from == values.size()) {
      problems.add(error(-1, "", "the name of a note, then values", ""));
    } else if (!field.isEmpty() && !field.equals(values.get(from))) {
      problems.add(error(from, values.get(from), "the note " + field + " of the line above", ""));
    } else {
      field = values.get(from);
      words.addAll(values.subList(from + 1, values.size()));
    }
  }

  private void annotations(List<String> values, int from, List<AclProblem> problems) {
    for (int i = from; i < values.size(); i++) {
      StringBuilder pair = new StringBuilder(values.get(i));
      int equals = pair.indexOf("=");
      // a value in quotes may have blanks
      while (isOpen(pair, equals + 1) && i + 1 < values.size()) {
        i++;
        pair.append(' ').append(values.get(i));
      }
      boolean replaces = equals < 1 || pair.charAt(equals - 1) != '+';
      String key = equals < 1 ? "" : pair.substring(0, replaces ? equals : equals - 1);
      if (key.isEmpty() || equals + 1 == pair.length()) {
        problems.add(error(i, pair.toString(), "NAME=VALUE or NAME+=VALUE", ""));
      } else if (AclWords.RESERVED.contains(key)) {
        problems.add(error(i, key, "a name that no answer of a helper has", "rename the note"));
      } else {
        String value = unquoted(pair.substring(equals + 1));
        List<String> tokens = NoteCondition.tokens(value, delimiters);
        annotations.add(new Annotation(key, tokens, replaces));
      }
    }
  }

  private static boolean isOpen(StringBuilder pair, int start) {
    char first = start > 0 && start < pair.length() ? pair.charAt(start) : ' ';
    boolean quote = first == '"' || first == '\'';
    return quote && (pair.length() == start + 1 || pair.charAt(pair.length() - 1) != first);
  }

  private void method(String value) {
    String upper = value.toUpperCase(Locale.ROOT);
    words.add(AclWords.METHODS.contains(upper) ? upper : value);
  }

  private void scheme(int index, String value, List<AclProblem> problems) {
    String scheme = value.toLowerCase(Locale.ROOT);
    if (!AclWords.SCHEMES.contains(scheme)) {
      problems.add(error(index, value, "a scheme such as http or https", ""));
    } else {
      words.add(scheme);
    }
  }

  private void fault(int index, String value, List<AclProblem> problems) {
    if (value.startsWith("X509_V_ERR_") || value.startsWith("SQUID_")) {
      words.add(value);
    } else {
      problems.add(error(index, value, "a name such as X509_V_ERR_CERT_HAS_EXPIRED", ""));
    }
  }

  private void times(List<String> values, int from, List<AclProblem> problems) {
    int days = 0; // those not yet followed by a range
    for (int i = from; i < values.size(); i++) {
      String value = values.get(i);
      int letters = WeekTimes.days(value);
      int[] minutes = WeekTimes.minutes(value);
      if (letters < 0 && WeekTimes.days(value.replace('U', '-')) >= 0) {
        letters = WeekTimes.days(value.replace('U', '-'));
        problems.add(
            new AclProblem(false, i, value, "days from SMTWHFAD", "U is ignored, as in Squid"));
      }
      if (letters >= 0) {
        days |= letters;
      } else if (minutes != null) {
        spans.add(
            new WeekTimes.Span(days == 0 ? WeekTimes.ALL_DAYS : days, minutes[0], minutes[1]));
        days = 0;
      } else {
        problems.add(error(i, value, "days from SMTWHFAD, or h:m-h:m within a day", ""));
      }
    }
    if (days != 0) {
      spans.add(new WeekTimes.Span(days, 0, WeekTimes.Span.ALL.toMinute()));
    }
  }

  private void number(List<String> values, List<AclProblem> problems) {
    int number = values.size() == 1 ? number(values.get(0)) : -1;
    if (number < (type == AclType.MAX_USER_IP ? 1 : 0)) {
      problems.add(
          error(
              -1, String.join(" ", values), number == 0 ? "one number from 1" : "one number", ""));
      return;
    }
    most = number;
  }

  private void certificate(List<String> values, int from, List<AclProblem> problems) {
    if (values.size() - from < 2) {
      problems.add(error(-1, String.join(" ", values), "an attribute, then its values", ""));
      return;
    }
    String attribute = values.get(from);
    if (!attribute.matches("[A-Za-z]+|[0-9]+([.][0-9]+)+")) {
      problems.add(error(from, attribute, "DN, CN, O or another attribute of a name", ""));
    } else if (!field.isEmpty() && !field.equalsIgnoreCase(attribute)) {
      problems.add(error(from, attribute, "the attribute " + field + " of the line above", ""));
    }
    field = attribute;
    words.addAll(values.subList(from + 1, values.size()));
  }

  private void group(List<String> values, int from, Acls acls, List<AclProblem> problems) {
    for (int i = from; i < values.size(); i++) {
      String term = values.get(i);
      String bare = Acls.bare(term);
      if (!acls.has(bare) || acls.contains(bare, name)) {
        problems.add(
            error(i, term, "the name of an ACL defined above", "define it above this line"));
        return;
      }
    }
    groups.add(List.copyOf(values.subList(from, values.size())));
  }

  private void expressions(List<String> values, int first, List<AclProblem> problems) {
    int from = first;
    if (type == AclType.REQ_HEADER || type == AclType.REP_HEADER) {
      if (from == values.size()) {
        problems.add(error(-1, "", "a field name, then expressions", ""));
        return;
      }
      if (!field.isEmpty() && !field.equalsIgnoreCase(values.get(from))) {
        problems.add(
            error(from, values.get(from), "the field " + field + " of the line above", ""));
        return;
      }
      field = values.get(from);
      from++;
    }
    for (int i = from; i < values.size(); i++) {
      String value = values.get(i);
      switch (value) {
        case "-i" -> ignoreCase = true;
        case "+i" -> ignoreCase = false;
        default -> expression(i, value, problems);
      }
    }
  }

  private void expression(int index, String value, List<AclProblem> problems) {
    PosixRegex regex = PosixRegex.compile(value, ignoreCase);
    if (regex.error() != null) {
      problems.add(error(index, value, "a POSIX extended regular expression", regex.error()));
      return;
    }
    if (regex.warning() != null) {
      problems.add(new AclProblem(false, index, value, "the intended expression", regex.warning()));
    }
    expressions.add(regex.pattern());
  }

  /** Whether it has no values. */
  boolean isEmpty() {
    return values() == 0;
  }

  private int values() {
    return switch (type) {
      case SRC, DST, LOCALIP -> addresses.size();
      case PORT, LOCALPORT, HTTP_STATUS -> ranges.size();
      case DSTDOMAIN,
          METHOD,
          PROTO,
          MYPORTNAME,
          SSL_ERROR,
          USER_CERT,
          CA_CERT,
          SSL_SERVER_NAME,
          AT_STEP,
          TRANSACTION_INITIATOR,
          HAS,
          EXTERNAL,
          SRCDOMAIN,
          ARP,
          EUI64,
          HIER_CODE,
          SQUID_ERROR,
          SERVER_CERT_FINGERPRINT,
          PEERNAME,
          ADAPTATION_SERVICE,
          EXT_USER,
          TAG,
          PROXY_AUTH ->
          words.size();
      case NOTE -> field.isEmpty() ? 0 : 1;
      case CLIENTSIDE_MARK, CLIENT_CONNECTION_MARK -> marks.size();
      case ANNOTATE_CLIENT, ANNOTATE_TRANSACTION -> annotations.size();
      case RANDOM -> chance < 0 ? 0 : 1;
      case CONNECTIONS_ENCRYPTED, ADDED, OTHER_SERVER_NAME -> 1;
      case TIME -> spans.size();
      case MAXCONN, MAX_USER_IP -> most < 0 ? 0 : 1;
      case ANY_OF, ALL_OF -> groups.size();
      default -> expressions.size();
    };
  }

  private static AclProblem error(int index, String value, String expected, String advice) {
    return new AclProblem(true, index, value, expected, advice);
  }
}
