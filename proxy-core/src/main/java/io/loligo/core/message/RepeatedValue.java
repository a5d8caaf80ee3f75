package io.loligo.core.message;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The value of a field that one message after the other repeats, as those of a node of the cluster
 * do: the string of the last one serves again. Confined to one thread.
 */
public final class RepeatedValue {
  private byte[] bytes = {};
  private String text = "";

  /** No value yet. */
  public RepeatedValue() {}

  /**
   * The value of the first field with this known name, as {@link Fields#get}. Allocates nothing if
   * the value before was the same.
   *
   * @return null: there is none
   */
  public @Nullable String of(Fields fields, int id) {
    int i = fields.first(id);
    if (i < 0) {
      return null;
    }
    int start = fields.valueStart(i);
    int end = fields.valueEnd(i);
    if (!Arrays.equals(fields.bytes(), start, end, bytes, 0, bytes.length)) {
      bytes = Arrays.copyOfRange(fields.bytes(), start, end);
      text = fields.value(i);
    }
    return text;
  }
}
