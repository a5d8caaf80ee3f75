package io.loligo.server.record;

/** The result codes of Squid that occur here ({@code %Ss}). */
public enum LogTag {
  TCP_HIT(true),
  TCP_MEM_HIT(true),
  TCP_MISS(false),
  TCP_REFRESH_UNMODIFIED(true),
  TCP_REFRESH_MODIFIED(false),
  TCP_REFRESH_FAIL_OLD(true),
  TCP_REFRESH_FAIL_ERR(false),
  TCP_CLIENT_REFRESH_MISS(false),
  TCP_IMS_HIT(true),
  TCP_INM_HIT(true),
  TCP_SWAPFAIL_MISS(false),
  TCP_NEGATIVE_HIT(true),
  TCP_OFFLINE_HIT(true),
  TCP_DENIED(false),
  TCP_DENIED_REPLY(false),
  TCP_REDIRECT(false),
  TCP_TUNNEL(false),
  UDP_HIT(true),
  UDP_MISS(false),
  UDP_MISS_NOFETCH(false),
  UDP_DENIED(false),
  UDP_INVALID(false),
  NONE_NONE(false);

  private final boolean hit;

  LogTag(boolean hit) {
    this.hit = hit;
  }

  /** Whether it counts as a hit. */
  public boolean hit() {
    return hit;
  }
}
