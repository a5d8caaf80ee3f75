package io.loligo.server.jmx;

import java.lang.reflect.Method;
import java.util.Arrays;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/** An MXBean whose descriptions come from {@link Description} on its interface. Thread-safe. */
final class DescribedBean extends StandardMBean {
  private final Class<?> type;

  <T> DescribedBean(T bean, Class<T> type) {
    super(bean, type, true);
    this.type = type;
  }

  @Override
  protected String getDescription(MBeanInfo info) {
    Description description = type.getAnnotation(Description.class);
    return description == null ? info.getDescription() : description.value();
  }

  @Override
  protected String getDescription(MBeanAttributeInfo info) {
    Method getter = method((info.isIs() ? "is" : "get") + info.getName(), 0);
    return text(getter, info);
  }

  @Override
  protected String getDescription(MBeanOperationInfo info) {
    return text(method(info.getName(), info.getSignature().length), info);
  }

  @Override
  protected String getDescription(MBeanOperationInfo operation, MBeanParameterInfo info, int at) {
    Method method = method(operation.getName(), operation.getSignature().length);
    Description description =
        method == null ? null : method.getParameters()[at].getAnnotation(Description.class);
    return description == null ? info.getDescription() : description.value();
  }

  @Override
  protected String getParameterName(MBeanOperationInfo operation, MBeanParameterInfo info, int at) {
    Method method = method(operation.getName(), operation.getSignature().length);
    return method == null ? info.getName() : method.getParameters()[at].getName();
  }

  @Override
  protected int getImpact(MBeanOperationInfo info) {
    Method method = method(info.getName(), info.getSignature().length);
    return method != null && method.isAnnotationPresent(Reads.class)
        ? MBeanOperationInfo.INFO
        : MBeanOperationInfo.ACTION;
  }

  private static String text(@Nullable Method method, MBeanFeatureInfo info) {
    Description description = method == null ? null : method.getAnnotation(Description.class);
    return description == null ? info.getDescription() : description.value();
  }

  private @Nullable Method method(String name, int parameters) {
    return Arrays.stream(type.getMethods())
        .filter(m -> m.getName().equals(name) && m.getParameterCount() == parameters)
        .findFirst()
        .orElse(null);
  }
}
