package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.Validation;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldSet;
import io.loligo.core.range.Completion;
import io.loligo.core.range.SlicedWhole;

/** The proxy's conditions and ranges, which replace those of the client in a forwarded request. */
public interface Conditions {
  /** No conditions: requests the whole, whatever the client requested. */
  Conditions NONE = lines -> {};

  /** The client's fields that are not forwarded. */
  default FieldSet replaced() {
    return Preconditions.FIELDS_AND_RANGE;
  }

  /** Appends the proxy's fields to {@code lines}, borrowed. */
  void addTo(FieldLines lines);

  /**
   * Asks whether {@code stored} is still current. If {@code stored} is incomplete or a slice, the
   * client's range is forwarded too, so that a changed response is not sent whole.
   *
   * @param ofSlice whether {@code stored} is for a slice; it may then hold the whole of a small
   *     response
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

  /**
   * Requests the next slice of the representation that the client has begun to receive, and of no
   * other.
   */
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

  /** Requests gap {@code number} of a response that is stored in part. */
  static Conditions completing(Completion completion, int number) {
    return lines -> completion.addTo(lines, number);
  }

  /** Asks whether one of the stored variants is current. */
  static Conditions offering(OfferedTags tags) {
    return tags::addTo;
  }
}
