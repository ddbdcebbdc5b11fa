{{- define "small-server.replicas" -}}
replicas: {{ (index .Values.workloads .Release.Name).replicaCount }}
{{- end -}}
