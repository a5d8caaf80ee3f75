package io.loligo.server.exchange.adapt;

import io.loligo.core.message.Fields;
import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.adapt.IcapService;
import io.loligo.server.adapt.ServiceGroup;
import io.loligo.server.exchange.request.Request;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The services that one message passes, stage by stage. A service with {@code routing=on} replaces
 * the stages after its own. Confined to the event loop of the message.
 */
final class ServicePlan {
  private static final String NEXT_SERVICES = "X-Next-Services";

  private final AdaptationSettings.Sequence sequence;
  private final boolean responses;
  private final Set<String> names;
  private List<List<IcapService>> stages;

  /** The services of {@code group}. */
  ServicePlan(AdaptationSettings settings, ServiceGroup group) {
    sequence = settings.sequence();
    responses = group.responses();
    names = new HashSet<>(group.names());
    stages = group.stages();
  }

  /** One stage for each of {@code services}, which adapt responses. */
  ServicePlan(AdaptationSettings settings, List<IcapService> services) {
    sequence = settings.sequence();
    responses = true;
    names = new HashSet<>();
    stages = List.of();
    append(services);
  }

  private void append(List<IcapService> services) {
    List<List<IcapService>> all = new ArrayList<>(stages);
    for (IcapService service : services) {
      names.add(service.name());
      all.add(List.of(service));
    }
    stages = List.copyOf(all);
  }

  /** The names that the ACL {@code adaptation_service} knows. */
  Set<String> names() {
    return Set.copyOf(names);
  }

  /** Whether there is a stage {@code number}, from 0. */
  boolean has(int number) {
    return number < stages.size();
  }

  /** The services of stage {@code number}: the first one that works adapts the message. */
  List<IcapService> stage(int number) {
    return stages.get(number);
  }

  /** The reason why stage {@code number} is one too many; null: it is not. */
  @Nullable String excess(int number) {
    return number < sequence.most()
        ? null
        : "icap_service: more than " + sequence.most() + " services one after another";
  }

  /**
   * Obeys {@code fields} of the response of {@code service}, which is in stage {@code number}.
   *
   * @param request gets what is for later services
   */
  void answered(int number, IcapService service, Fields fields, Request request) {
    String shared = sequence.sharedName() == null ? null : fields.joined(sequence.sharedName());
    if (shared != null && !shared.isEmpty()) {
      request.adaptation(request.adaptation().sharing(shared));
    }
    String next = service.routing() ? fields.joined(NEXT_SERVICES) : null;
    if (next != null) {
      adopt(number, next, request);
    }
  }

  private void adopt(int number, String next, Request request) {
    List<IcapService> now = new ArrayList<>();
    List<IcapService> later = new ArrayList<>();
    for (String word : next.split(",", sequence.most() + 2)) {
      IcapService service = sequence.services().get(word.strip());
      if (service == null) {
        continue; // as if it were not there
      }
      if (later.isEmpty() && service.responses() == responses) {
        now.add(service);
      } else if (service.responses() && !responses) {
        later.add(service);
      }
    }
    stages = stages.subList(0, number + 1);
    append(now);
    if (!later.isEmpty()) {
      request.adaptation(request.adaptation().planning(later));
    }
  }
}
