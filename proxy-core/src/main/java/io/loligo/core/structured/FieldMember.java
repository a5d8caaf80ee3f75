package io.loligo.core.structured;

import java.util.List;
import java.util.Map;

/** A member of a list or dictionary (RFC 9651 section 3): one value, or several. Immutable. */
public sealed interface FieldMember {
  /** Parameters in the order received, the last of each name. */
  Map<String, BareItem> parameters();

  /** One value (section 3.3). */
  record Item(BareItem bare, Map<String, BareItem> parameters) implements FieldMember {}

  /** Several values in parentheses (section 3.1.1). */
  record InnerList(List<Item> items, Map<String, BareItem> parameters) implements FieldMember {}
}
