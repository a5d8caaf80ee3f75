package io.loligo.server.exchange.adapt;

import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Notes;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.adapt.AdaptationSettings.Rule;
import io.loligo.server.adapt.Adaptations;
import io.loligo.server.adapt.IcapMessage;
import io.loligo.server.adapt.ServiceGroup;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.ForwardedFields;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.own.OwnObjects;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses services by {@code adaptation_access}, and makes messages for them. Stateless. */
public final class ServiceChoice {
  /** Decides about a rule that the facts at hand do not decide. */
  public interface Undecided {
    /** Whether the rule with {@code verdict} counts as one that allows. */
    boolean allows(AclVerdict verdict);
  }

  private ServiceChoice() {}

  /**
   * The services that adapt the request, or the response that the rules see in it; null: none.
   *
   * @param responses whether a response is adapted
   */
  public static @Nullable ServiceGroup of(
      Adaptations loop, Request request, boolean responses, Undecided undecided) {
    if (request.host().equals(OwnObjects.HOST)) {
      return null;
    }
    String path = null;
    for (Rule rule : loop.settings().rules()) {
      ServiceGroup group = rule.group();
      if (group.responses() == responses) {
        path = path == null ? path(request) : path;
        if (loop.applies(group, path) && isAllowed(rule, request, undecided)) {
          return group;
        }
      }
    }
    return null;
  }

  private static boolean isAllowed(Rule rule, Request request, Undecided undecided) {
    AclVerdict verdict = rule.access().evaluate(request);
    return switch (verdict.kind()) {
      case ALLOWED -> true;
      case DENIED, CHALLENGE -> false;
      default -> undecided.allows(verdict);
    };
  }

  /** The path and query of the URL; empty for CONNECT. */
  private static String path(Request request) {
    RequestTarget target = request.target();
    return target.form() == RequestTarget.Form.AUTHORITY
        ? ""
        : new String(
            target.pathBytes(),
            target.pathStart(),
            target.pathEnd() - target.pathStart(),
            StandardCharsets.ISO_8859_1);
  }

  /** {@code request}, a snapshot, as a message. Its fields become notes. */
  static IcapMessage message(Adaptations loop, ExchangeSettings settings, Request request) {
    List<Notes.Note> meta = meta(loop, request, null);
    request.notes(request.notes().including(meta));
    return IcapMessage.of(
        request.head(),
        url(request),
        path(request),
        request.contentLength(),
        lines(loop, settings, request, meta),
        loop.settings().retries(request));
  }

  /**
   * {@code reply}, borrowed, to {@code request} as a message. Its fields are noted in {@code way}.
   */
  static IcapMessage message(
      Adaptations loop,
      ExchangeSettings settings,
      Request request,
      ResponseHead reply,
      long contentLength,
      FetchTimings way) {
    List<Notes.Note> meta = meta(loop, request, reply);
    way.notes = Notes.NONE.including(way.notes).including(meta).all();
    return IcapMessage.of(
        request.head(),
        url(request),
        path(request),
        reply,
        contentLength,
        lines(loop, settings, request, meta),
        loop.settings().retries(request));
  }

  private static String url(Request request) {
    return request.target().form() == RequestTarget.Form.AUTHORITY
        ? request.head().target()
        : request.url();
  }

  private static List<Notes.Note> meta(
      Adaptations loop, Request request, @Nullable ResponseHead reply) {
    return loop.settings().meta(request, () -> IcapLines.described(loop.record(), request, reply));
  }

  private static byte[] lines(
      Adaptations loop, ExchangeSettings settings, Request request, List<Notes.Note> meta) {
    AdaptationSettings services = loop.settings();
    String address = null;
    if (request.isOfClient()) {
      address =
          services.identity().indirect()
              ? clientText(request)
              : NetUtil.toAddressString(request.client().getAddress());
    }
    return services.lines(
        address,
        request.user(),
        request.adaptation().shared(),
        ForwardedFields.sentId(request, settings),
        meta);
  }

  /** The client's address, behind trusted proxies, as text; null: it is none. */
  static @Nullable String clientText(Request request) {
    try {
      return NetUtil.toAddressString(InetAddress.getByAddress(request.clientAddress()));
    } catch (UnknownHostException e) {
      return null;
    }
  }
}
