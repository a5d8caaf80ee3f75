package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.Validation;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldSet;
import io.loligo.core.range.Completion;
import io.loligo.core.range.SlicedWhole;

/** What stands in place of the client's conditions and ranges in a request that goes onward. */
public interface Conditions {
  /** Nothing: the whole is asked for, whatever the client has. */
  Conditions NONE = lines -> {};

  /** Fields of the client's that are left out. */
  default FieldSet replaced() {
    return Preconditions.FIELDS_AND_RANGE;
  }

  /** Adds ours. */
  void addTo(FieldLines lines);

  /**
   * Whether {@code stored} is still current. Of an incomplete one only the client's range is wanted
   * where it is not.
   *
   * @param ofSlice whether it is a slice, which may be all there is of a small response
   */
  static Conditions validating(StoredMeta stored, boolean ofSlice) {
    if (stored.part() == null && !ofSlice) {
      return lines -> Validation.addConditions(stored, lines);
    }
    return new Conditions() {
      @Override
      public FieldSet replaced() {
        return Preconditions.FIELDS;
      }

      @Override
      public void addTo(FieldLines lines) {
        Validation.addConditions(stored, lines);
      }
    };
  }

  /** The next slice of what the client has the beginning of, and of nothing else. */
  static Conditions continuing(SlicedWhole begun) {
    return new Conditions() {
      @Override
      public FieldSet replaced() {
        return Preconditions.FIELDS;
      }

      @Override
      public void addTo(FieldLines lines) {
        begun.addCondition(lines);
      }
    };
  }

  /** Gap {@code number} of a response that is stored in part. */
  static Conditions completing(Completion completion, int number) {
    return lines -> completion.addTo(lines, number);
  }

  /** Whether any of the stored variants would do. */
  static Conditions offering(OfferedTags tags) {
    return tags::addTo;
  }
}
