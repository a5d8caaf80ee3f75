package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The selecting fields of a stored response (RFC 9111 section 4.1): the names its Vary nominated
 * and the values the storing request had. Immutable.
 *
 * <p>Values are compared in a normal form: the lines of a field joined as one list; for Accept also
 * without white space around commas and in lower case, but for parameters of media types, which
 * stay as they are; for Accept-Language without any white space, empty members and weights of 1,
 * too. {@link CodingList} has that of Accept-Encoding, whose order does not matter either. Cookie
 * is no list: its lines are kept apart. The name {@code *} stands for all fields, byte for byte.
 */
public final class VarySelection {
  /** Names that the Vary of a response that is stored has, at most. */
  private static final int MAX_NAMES = 64;

  private static final int ABSENT = -1;

  /** In place of a name: all fields as they are, none more and none less. */
  private static final String ALL = "*";

  private static final int ALL_ID = -1;

  /** Between lines that are no list; it is in no value. */
  private static final byte NO_LIST = '\n';

  private final String[] names;
  private final int[] ids;
  // the normal form of value i; null where the request had no such field
  private final byte[][] values;

  private VarySelection(String[] names, int[] ids, byte[][] values) {
    this.names = names;
    this.ids = ids;
    this.values = values;
  }

  /**
   * The selection of {@code request} under the Vary of {@code response}, and under what it should
   * have named: Accept-Encoding where there is a content coding, {@link OverridingFields} that the
   * request has, and {@code all} fields where it may speak of how the request was made. Null where
   * that is nothing. {@code Vary: *} never gets here: such a response is not stored.
   */
  public static VarySelection of(boolean all, Fields request, Fields response) {
    boolean coded = response.has(FieldName.CONTENT_ENCODING);
    if (!response.has(FieldName.VARY)
        && !coded
        && !all
        && OverridingFields.all(request, List.of())) {
      return null; // nearly always, and without allocation
    }
    Set<String> selecting = names(response);
    if (all) {
      selecting.add(ALL);
    }
    if (coded) {
      selecting.add("accept-encoding");
    }
    OverridingFields.addTo(selecting, request);
    if (selecting.isEmpty()) {
      return null;
    }
    String[] names = selecting.toArray(new String[0]);
    Arrays.sort(names);
    int[] ids = new int[names.length];
    byte[][] values = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      ids[i] = idOf(names[i]);
      values[i] = normalForm(request, ids[i], names[i]);
    }
    return new VarySelection(names, ids, values);
  }

  /**
   * Whether no request matches the Vary of {@code response}: it has the member {@code *}, one that
   * is no field name, more names than anybody has a use for, or X-Forwarded-For, which the origin
   * gets from this proxy and not as the request has it.
   */
  public static boolean isUnmatchable(Fields response) {
    return refusal(response) != null;
  }

  /** Why no request matches the Vary of {@code response}; null where some may. */
  static String refusal(Fields response) {
    if (!response.has(FieldName.VARY)) {
      return null;
    }
    if (response.hasToken(FieldName.VARY, "*")) {
      return "Vary: *";
    }
    if (response.hasToken(FieldName.VARY, FieldName.text(FieldName.X_FORWARDED_FOR))) {
      return "Vary: X-Forwarded-For";
    }
    Set<String> names = names(response);
    if (names.size() > MAX_NAMES) {
      return "Vary with too many names";
    }
    return names.stream().allMatch(Ascii::isToken) ? null : "Vary with an invalid field name";
  }

  /**
   * The selection of what was stored with {@code stored}, null where nothing selects it, once a 304
   * to {@code request} has made its fields {@code response}: {@code stored}, unless they name more.
   */
  static VarySelection updated(VarySelection stored, Fields request, Fields response) {
    if (!response.has(FieldName.VARY)
        || (stored != null && stored.names().containsAll(names(response)))) {
      return stored;
    }
    boolean all = stored != null && stored.isOfOneRequest();
    return isUnmatchable(response) ? stored : of(all, request, response);
  }

  /** What {@code request} selects by the same names. */
  public VarySelection by(Fields request) {
    byte[][] others = new byte[names.length][];
    for (int i = 0; i < names.length; i++) {
      others[i] = normalForm(request, ids[i], names[i]);
    }
    return new VarySelection(names, ids, others);
  }

  /** Whether {@code request} selects the same variant. No allocation. */
  public boolean matches(Fields request) {
    for (int i = 0; i < names.length; i++) {
      if (!agrees(i, request)) {
        return false;
      }
    }
    return true;
  }

  private boolean agrees(int number, Fields request) {
    byte[] value = values[number];
    int id = ids[number];
    if (id == FieldName.ACCEPT_ENCODING) {
      return CodingList.matches(request, value);
    }
    int length = value == null ? ABSENT : value.length;
    return walk(request, id, names[number], value, false) == length;
  }

  /**
   * Whether {@code request} has the same value of the field {@code id}, as far as that selects: it
   * may differ in others. No allocation.
   */
  boolean agreesOn(int id, Fields request) {
    for (int i = 0; i < names.length; i++) {
      if (ids[i] == id) {
        return agrees(i, request);
      }
    }
    return true;
  }

  /**
   * Whether {@code request} has the same {@link OverridingFields} as the one whose answer was
   * stored with {@code stored}, which may be null: else what is answered to it says nothing of that
   * one.
   */
  public static boolean isSteeredLike(VarySelection stored, Fields request) {
    return OverridingFields.all(request, stored == null ? List.of() : stored.names())
        && (stored == null || stored.isSteeredLike(request));
  }

  private boolean isSteeredLike(Fields request) {
    for (int i = 0; i < names.length; i++) {
      if (OverridingFields.contains(names[i]) && !agrees(i, request)) {
        return false;
      }
    }
    return true;
  }

  /** Whether it is for requests that are the same, byte for byte, and no others. */
  public boolean isOfOneRequest() {
    for (String name : names) {
      if (name.equals(ALL)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a request that selects both is answered with {@code one} rather than with {@code
   * other}: with what varies, if only one does, else with the more recent (RFC 9111 section 4.1).
   * What is for one request alone counts as what does not vary: an error is not to outlive it. No
   * allocation.
   */
  public static boolean prefers(StoredMeta one, StoredMeta other) {
    boolean varies = varies(one);
    return varies == varies(other) ? one.dateMillis() > other.dateMillis() : varies;
  }

  private static boolean varies(StoredMeta stored) {
    return stored.vary() != null && !stored.vary().isOfOneRequest();
  }

  /** Whether fields select it that the origin did not name: a client may make up as many. */
  public boolean isSteered() {
    for (String name : names) {
      if (name.equals(ALL) || OverridingFields.contains(name)) {
        return true;
      }
    }
    return false;
  }

  /** The nominated names in lower case, sorted. */
  public List<String> names() {
    return List.of(names);
  }

  /** The value of name {@code number} in its normal form; null: the request had no such field. */
  public String value(int number) {
    byte[] value = values[number];
    return value == null ? null : new String(value, StandardCharsets.ISO_8859_1);
  }

  /** Bytes of memory that names and values take, roughly: a client chooses how many. */
  public int weightBytes() {
    int bytes = 0;
    for (int i = 0; i < names.length; i++) {
      bytes += names[i].length() + (values[i] == null ? 0 : values[i].length);
    }
    return bytes;
  }

  /** See {@link StoredForm#writeMeta}. */
  void write(ByteBuf out) {
    StoredForm.number(out, names.length);
    for (int i = 0; i < names.length; i++) {
      StoredForm.octets(out, names[i].getBytes(StandardCharsets.ISO_8859_1));
      StoredForm.octets(out, values[i]);
    }
  }

  /** Reads what {@link #write} wrote, or the number 0, which stands for none: null. */
  static VarySelection read(ByteBuf in) {
    int count = (int) StoredForm.number(in);
    if (count == 0) {
      return null;
    }
    if (count < 0 || count > in.readableBytes()) {
      throw new IllegalArgumentException("selecting fields: " + count);
    }
    String[] names = new String[count];
    int[] ids = new int[count];
    byte[][] values = new byte[count][];
    for (int i = 0; i < count; i++) {
      byte[] name = StoredForm.octets(in);
      if (name == null) {
        throw new IllegalArgumentException("a selecting field without name");
      }
      names[i] = new String(name, StandardCharsets.ISO_8859_1);
      ids[i] = idOf(names[i]);
      values[i] = StoredForm.octets(in);
    }
    return new VarySelection(names, ids, values);
  }

  /** All of it, for a hash. */
  byte[] toOctets() {
    ByteBuf out = Unpooled.buffer(weightBytes() + 4 * names.length + 8);
    write(out);
    byte[] octets = new byte[out.readableBytes()];
    out.readBytes(octets);
    return octets;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VarySelection selection
        && Arrays.equals(names, selection.names)
        && Arrays.deepEquals(values, selection.values);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(names) + Arrays.deepHashCode(values);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < names.length; i++) {
      text.append(i == 0 ? "" : "; ").append(names[i]).append('=');
      String value = ids[i] == ALL_ID ? "(all fields)" : value(i);
      text.append(value == null ? "-" : value);
    }
    return text.toString();
  }

  private static int idOf(String name) {
    return name.equals(ALL) ? ALL_ID : FieldName.of(name);
  }

  private static Set<String> names(Fields response) {
    Set<String> names = new LinkedHashSet<>();
    for (int i = response.first(FieldName.VARY); i >= 0; i = response.next(FieldName.VARY, i + 1)) {
      for (String member : response.value(i).split(",", -1)) {
        String name = member.strip().toLowerCase(Locale.ROOT);
        if (!name.isEmpty()) {
          names.add(name);
        }
      }
    }
    return names;
  }

  private static byte[] normalForm(Fields request, int id, String name) {
    if (id == FieldName.ACCEPT_ENCODING) {
      return CodingList.normalForm(request);
    }
    int room = 0;
    for (int i = next(request, id, name, 0); i >= 0; i = next(request, id, name, i + 1)) {
      room += request.nameLength(i) + request.valueEnd(i) - request.valueStart(i) + 2;
    }
    byte[] form = new byte[room];
    int length = walk(request, id, name, form, true);
    return length == ABSENT ? null : Arrays.copyOf(form, length);
  }

  /**
   * Goes through the normal form of a field: writes it to {@code form}, or compares it with what is
   * there. Its length, {@link #ABSENT} without the field, or another negative number where it
   * differs.
   */
  private static int walk(Fields request, int id, String name, byte[] form, boolean write) {
    int line = next(request, id, name, 0);
    if (line < 0) {
      return ABSENT;
    }
    if (id == ALL_ID) {
      return walkAll(request, form, write);
    }
    if (id == FieldName.ACCEPT_LANGUAGE) {
      return walkLanguages(request, form, write);
    }
    boolean list = id == FieldName.ACCEPT;
    int at = 0;
    for (boolean first = true; line >= 0; line = next(request, id, name, line + 1)) {
      if (!first) {
        at = put(form, at, id == FieldName.COOKIE ? NO_LIST : (byte) ',', write);
        at = list || id == FieldName.COOKIE ? at : put(form, at, (byte) ' ', write);
      }
      first = false;
      at =
          list
              ? walkList(request, line, form, at, write)
              : walkExact(request, line, form, at, write);
      if (at < 0) {
        return at;
      }
    }
    return at;
  }

  private static int walkAll(Fields request, byte[] form, boolean write) {
    int at = 0;
    for (int line = 0; line < request.count(); line++) {
      int name = request.nameStart(line);
      at = putAll(request.bytes(), name, name + request.nameLength(line), form, at, write);
      at = put(form, at, (byte) ':', write);
      at = walkExact(request, line, form, at, write);
      at = put(form, at, NO_LIST, write);
    }
    return at;
  }

  private static int walkExact(Fields request, int line, byte[] form, int from, boolean write) {
    int start = request.valueStart(line);
    return putAll(request.bytes(), start, request.valueEnd(line), form, from, write);
  }

  /** The order matters: of languages of equal weight a server may take the first. */
  private static int walkLanguages(Fields request, byte[] form, boolean write) {
    int id = FieldName.ACCEPT_LANGUAGE;
    byte[] bytes = request.bytes();
    int at = 0;
    for (int line = request.first(id); line >= 0; line = request.next(id, line + 1)) {
      int ends = request.valueEnd(line);
      for (int from = request.valueStart(line), to; from < ends; from = to + 1) {
        to = CodingList.comma(bytes, from, ends);
        int start = CodingList.afterBlanks(bytes, from, to);
        int end = CodingList.end(bytes, start, to);
        if (start < end && at > 0) {
          at = put(form, at, (byte) ',', write);
        }
        for (int i = start; i < end && at >= 0; i++) {
          int after = CodingList.afterVoid(bytes, i, end);
          if (after > i) {
            i = after - 1;
          } else {
            at = put(form, at, Ascii.lower(bytes[i]), write);
          }
        }
        if (at < 0) {
          return at;
        }
      }
    }
    return at;
  }

  private static int walkList(Fields request, int line, byte[] form, int from, boolean write) {
    byte[] bytes = request.bytes();
    int start = request.valueStart(line);
    int end = request.valueEnd(line);
    boolean quoted = false;
    boolean parameters = false;
    int at = from;
    for (int i = start; i < end && at >= 0; i++) {
      byte b = bytes[i];
      if (quoted && b == '\\' && i + 1 < end) {
        at = put(form, at, b, write);
        at = put(form, at, bytes[++i], write);
        continue;
      }
      if (b == '"') {
        quoted = !quoted;
      }
      if (!quoted && Ascii.isBlank(b)) {
        int after = afterBlanks(bytes, i, end);
        boolean besideComma =
            (i > start && bytes[i - 1] == ',') || (after < end && bytes[after] == ',');
        while (i < after && !besideComma) {
          at = put(form, at, bytes[i++], write);
        }
        i = after - 1;
        continue;
      }
      if (!quoted) {
        // what a parameter of a media type means may hang on its case (RFC 9110 section 8.3.1)
        parameters = b != ',' && (parameters || b == ';');
      }
      at = put(form, at, quoted || parameters ? b : Ascii.lower(b), write);
    }
    return at;
  }

  private static int afterBlanks(byte[] bytes, int from, int end) {
    int after = from;
    while (after < end && Ascii.isBlank(bytes[after])) {
      after++;
    }
    return after;
  }

  private static int putAll(
      byte[] bytes, int start, int end, byte[] form, int from, boolean write) {
    int at = from;
    for (int i = start; i < end && at >= 0; i++) {
      at = put(form, at, bytes[i], write);
    }
    return at;
  }

  private static int put(byte[] form, int at, byte octet, boolean write) {
    if (at < 0) {
      return at;
    }
    if (write) {
      form[at] = octet;
      return at + 1;
    }
    return form != null && at < form.length && form[at] == octet ? at + 1 : ABSENT - 1;
  }

  private static int next(Fields fields, int id, String name, int from) {
    if (id == ALL_ID) {
      return from < fields.count() ? from : -1;
    }
    if (id != FieldName.OTHER) {
      return fields.has(id) ? fields.next(id, from) : -1;
    }
    for (int i = from; i < fields.count(); i++) {
      if (fields.id(i) == FieldName.OTHER && fields.nameEquals(i, name)) {
        return i;
      }
    }
    return -1;
  }
}
