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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The selecting fields of a stored response (RFC 9111 section 4.1): the names in its Vary and the
 * values of the storing request. Immutable.
 *
 * <p>Values are compared in a normal form: the lines of a field are joined as one list; for Accept
 * also without white space around commas and in lower case, except for parameters of media types,
 * which stay unchanged; for Accept-Language without any white space, empty members and weights of
 * 1, too. {@link CodingList} has the form of Accept-Encoding, whose order is irrelevant as well.
 * Cookie is not a list: its lines are kept apart. The name {@code *} stands for all fields, byte
 * for byte.
 */
public final class VarySelection {
  /** Most names in the Vary of a stored response. */
  private static final int MAX_NAMES = 64;

  private static final int ABSENT = -1;

  /** In place of a name: exactly all fields, unchanged. */
  private static final String ALL = "*";

  private static final int ALL_ID = -1;

  /** Separates lines of fields that are not lists; no value contains it. */
  private static final byte NO_LIST = '\n';

  private final String[] names;
  private final int[] ids;
  // the normal form of value i; null if the request had no such field
  private final byte[][] values;

  private VarySelection(String[] names, int[] ids, byte[][] values) {
    this.names = names;
    this.ids = ids;
    this.values = values;
  }

  /**
   * The values of the fields of {@code request} that select {@code response}: those that its Vary
   * names, and those that servers often use without naming them there. The latter are
   * Accept-Encoding if {@code response} has a content coding, and {@link OverridingFields}. Null if
   * no field selects it. A response with {@code Vary: *} never gets here, because it is not stored.
   *
   * @param all whether all fields select it, because it may depend on any of them
   */
  public static @Nullable VarySelection of(boolean all, Fields request, Fields response) {
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
   * Whether no request matches the Vary of {@code response}: it has the member {@code *}, an
   * invalid field name, too many names, or X-Forwarded-For or Forwarded, which this proxy may
   * change on the way to the origin.
   */
  public static boolean isUnmatchable(Fields response) {
    return refusal(response) != null;
  }

  /** Why no request matches the Vary of {@code response}; null if some may. */
  static @Nullable String refusal(Fields response) {
    if (!response.has(FieldName.VARY)) {
      return null;
    }
    if (response.hasToken(FieldName.VARY, "*")) {
      return "Vary: *";
    }
    if (response.hasToken(FieldName.VARY, FieldName.text(FieldName.X_FORWARDED_FOR))) {
      return "Vary: X-Forwarded-For";
    }
    if (response.hasToken(FieldName.VARY, FieldName.text(FieldName.FORWARDED))) {
      return "Vary: Forwarded";
    }
    Set<String> names = names(response);
    if (names.size() > MAX_NAMES) {
      return "Vary with too many names";
    }
    return names.stream().allMatch(Ascii::isToken) ? null : "Vary with an invalid field name";
  }

  /**
   * The selection of the response stored with {@code stored}, null if it does not vary, after a 304
   * to {@code request} has changed its fields to {@code response}: {@code stored}, unless they name
   * more fields.
   */
  static @Nullable VarySelection updated(
      @Nullable VarySelection stored, Fields request, Fields response) {
    if (!response.has(FieldName.VARY)
        || (stored != null && stored.names().containsAll(names(response)))) {
      return stored;
    }
    boolean all = stored != null && stored.isOfOneRequest();
    return isUnmatchable(response) ? stored : of(all, request, response);
  }

  /** The selection of {@code request} by the same names. */
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
   * Whether {@code request} has the same value of the field {@code id}, as far as that selects;
   * other fields may differ. No allocation.
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
   * Whether {@code request} has the same {@link OverridingFields} as the request whose response was
   * stored with {@code stored}, which may be null: otherwise its response does not apply to the
   * stored one.
   */
  public static boolean isSteeredLike(@Nullable VarySelection stored, Fields request) {
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

  /** Whether it is for identical requests, byte for byte, only. */
  public boolean isOfOneRequest() {
    for (String name : names) {
      if (name.equals(ALL)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a request that selects both gets {@code one} rather than {@code other}: the one that
   * varies, if only one does, else the more recent one (RFC 9111 section 4.1). A response for one
   * request alone counts as one that does not vary, so that an error does not outlive it. No
   * allocation.
   */
  public static boolean prefers(StoredMeta one, StoredMeta other) {
    boolean varies = varies(one);
    return varies == varies(other) ? one.dateMillis() > other.dateMillis() : varies;
  }

  private static boolean varies(StoredMeta stored) {
    return stored.vary() != null && !stored.vary().isOfOneRequest();
  }

  /**
   * Whether fields that the origin did not name select it: a client can make up any number of them.
   */
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
  public @Nullable String value(int number) {
    byte[] value = values[number];
    return value == null ? null : new String(value, StandardCharsets.ISO_8859_1);
  }

  /** Approximate bytes of memory for names and values: a client determines how many. */
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
      StoredForm.bytes(out, names[i].getBytes(StandardCharsets.ISO_8859_1));
      StoredForm.bytes(out, values[i]);
    }
  }

  /** Reads the bytes of {@link #write}, or the number 0, which stands for none: null. */
  static @Nullable VarySelection read(ByteBuf in) {
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
      byte[] name = StoredForm.bytes(in);
      if (name == null) {
        throw new IllegalArgumentException("a selecting field without name");
      }
      names[i] = new String(name, StandardCharsets.ISO_8859_1);
      ids[i] = idOf(names[i]);
      values[i] = StoredForm.bytes(in);
    }
    return new VarySelection(names, ids, values);
  }

  /** All of it, for a hash. */
  byte[] toBytes() {
    ByteBuf out = Unpooled.buffer(weightBytes() + 4 * names.length + 8);
    write(out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    return bytes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
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
      FieldName.addListed(response.value(i), names);
    }
    return names;
  }

  private static byte @Nullable [] normalForm(Fields request, int id, String name) {
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
   * Walks through the normal form of a field: writes it to {@code form}, or compares it with that.
   * Returns its length, {@link #ABSENT} without the field, or another negative number if it
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

  /** The order matters: a server may take the first of several languages of equal weight. */
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
        // the meaning of a parameter of a media type may depend on its case (RFC 9110 section
        // 8.3.1)
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

  private static int put(byte[] form, int at, byte b, boolean write) {
    if (at < 0) {
      return at;
    }
    if (write) {
      form[at] = b;
      return at + 1;
    }
    return form != null && at < form.length && form[at] == b ? at + 1 : ABSENT - 1;
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
