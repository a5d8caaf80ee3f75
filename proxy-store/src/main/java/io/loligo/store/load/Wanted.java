package io.loligo.store.load;

/** What a load is to bring. */
public enum Wanted {
  /** The content is needed, all or part of it. */
  CONTENT,
  /**
   * The head may do: where it can be had without reading the content, the entry {@linkplain
   * io.loligo.store.memory.Entry#isHeadOnly has nothing else}.
   */
  HEAD,
  /** The content after all, for a request that was given the head only: it counts as one hit. */
  CONTENT_AFTER_HEAD,
  /** The content, without a request for it: no hit is counted. */
  UNASKED
}
