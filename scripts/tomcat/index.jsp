<%@ page session="false" %><% Thread.sleep(Long.getLong("wakecost.service_ms")); %>ok
