package io.loligo.core.http1;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives that limit heads, chunks and trailers. */
public final class LimitDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Limits of messages");

  /** {@code request_header_max_size}: bytes. */
  public static final Setting<Integer> REQUEST_HEADER_MAX_SIZE =
      FEATURE
          .bytes("request_header_max_size", "64 KB")
          .raised()
          .range(1024, 16 << 20)
          .as(Math::toIntExact)
          .text("Largest request head. A larger one gets 431.");

  /** {@code reply_header_max_size}: bytes. */
  public static final Setting<Integer> REPLY_HEADER_MAX_SIZE =
      FEATURE
          .bytes("reply_header_max_size", "64 KB")
          .raised()
          .range(1024, 16 << 20)
          .as(Math::toIntExact)
          .text("Largest response head. For a larger one the client gets 502.");

  /** {@code loligo_max_uri_length}: bytes. */
  public static final Setting<Integer> MAX_URI_LENGTH =
      FEATURE
          .bytes("loligo_max_uri_length", "8 KB")
          .range(256, 16 << 20)
          .as(Math::toIntExact)
          .text("Longest request target. A longer one gets 414.");

  /** {@code loligo_max_header_fields}: field lines. */
  public static final Setting<Integer> MAX_HEADER_FIELDS =
      FEATURE
          .number("loligo_max_header_fields", "256")
          .range(16, 65_535)
          .text("Most field lines in a head. More of them get 431, or 502 in a response.");

  /** {@code loligo_max_chunk_extension}: bytes. */
  public static final Setting<Integer> MAX_CHUNK_EXTENSION =
      FEATURE
          .bytes("loligo_max_chunk_extension", "4 KB")
          .range(0, 1 << 20)
          .as(Math::toIntExact)
          .text("Most bytes of extensions on one chunk.");

  /** {@code loligo_max_trailer}: bytes. */
  public static final Setting<Integer> MAX_TRAILER =
      FEATURE
          .bytes("loligo_max_trailer", "16 KB")
          .range(0, 1 << 20)
          .as(Math::toIntExact)
          .text("Most bytes of a trailer section.");

  private LimitDirectives() {}
}
