package io.loligo.store.load;

/** The need of a load. */
public enum Wanted {
  /** The content is needed, all or part of it. */
  CONTENT,
  /**
   * The head may suffice: if it can be read without the content, the entry {@linkplain
   * io.loligo.store.memory.Entry#isHeadOnly has nothing else}.
   */
  HEAD,
  /** The content after all, for a request that got the head only: it counts as one hit. */
  CONTENT_AFTER_HEAD,
  /** The content, without a request for it: no hit is counted. */
  UNASKED
}
